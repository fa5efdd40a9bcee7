"""What a name stands for: "@name" with parameters, a randomizer file, a noise law, a number of users or its law."""
