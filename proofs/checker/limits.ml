(* The limits of the format, written by limits_ml.py from exactdp/checker/limits.py. *)

let max_file_bytes = Integer.of_string "4194304"

let max_depth = Integer.of_string "32"

let max_list = Integer.of_string "1000000"

let max_decimal_bits = Integer.of_string "256"

let max_bits = Integer.of_string "262144"

let max_users = Integer.of_string "1000000"

let max_inputs = Integer.of_string "256"

let max_messages = Integer.of_string "256"

let max_sent = Integer.of_string "4096"

let max_total_bits = Integer.of_string "4194304"

let max_family_users = Integer.of_string "1000000000000"

let max_family_inputs = Integer.of_string "1000000000"

let max_buckets = Integer.of_string "18446744073709551616"

let max_split_bits = Integer.of_string "4096"

let max_counts = Integer.of_string "64"

let max_fair_bits = Integer.of_string "16384"

let min_sum_bits = Integer.of_string "64"

let max_sum_bits = Integer.of_string "4096"

let min_length = Integer.of_string "16"

let max_length = Integer.of_string "131072"

let max_places = Integer.of_string "262144"

let tilt_bits = Integer.of_string "64"

let max_tilt = Integer.of_string "4722366482869645213695"

let max_power = Integer.of_string "1048576"

let max_power_bits = Integer.of_string "16384"

let max_scale = Integer.of_string "262144"

let cut_bits = Integer.of_string "48"

let max_factors = Integer.of_string "64"

let max_plans = Integer.of_string "4096"

let max_nodes = Integer.of_string "16384"

let max_stages = Integer.of_string "1000"

let max_phase_bits = Integer.of_string "20"

let max_score_bits = Integer.of_string "64"

let max_trials = Integer.of_string "20000"

let max_walked = Integer.of_string "1000000000000000000"

let max_law_bits = Integer.of_string "8589934592"

let max_window = Integer.of_string "200000"

let min_precision = Integer.of_string "16"

let max_precision = Integer.of_string "16384"

let max_summands = Integer.of_string "8"

let max_shares = Integer.of_string "1000"

let max_modulus_bits = Integer.of_string "4096"

let max_coefficients = Integer.of_string "512"

let max_exponent = Integer.of_string "4096"

let domain_bits = Integer.of_string "256"

let sharp_bits = Integer.of_string "16"

let max_eps = Integer.of_string "64"

let max_terms = Integer.of_string "1000"

let max_taylor_bits = Integer.of_string "65536"

let max_shift = Integer.of_string "1000"

let max_parts = Integer.of_string "1000"

let max_runs = Integer.of_string "1000000"

let lattice_bits = Integer.of_string "64"

let trim_bits = Integer.of_string "16"

let max_variables = Integer.of_string "16"

let max_degree = Integer.of_string "64"

let max_inequality_bits = Integer.of_string "4096"

let max_box_variables = Integer.of_string "6"

let max_box_terms = Integer.of_string "64"

let max_box_precision = Integer.of_string "1024"

let max_deltas = Integer.of_string "16"

let max_uncertain = Integer.of_string "6"

let max_bernstein = Integer.of_string "20000"

let max_product_bits = Integer.of_string "134217728"

let max_slot_bits = Integer.of_string "65536"

let max_terms_added = Integer.of_string "16"

let max_digits = Integer.of_string "600"

let max_work = Integer.of_string "200000000"

let max_steps = Integer.of_string "4000000"

let max_sums = Integer.of_string "16384"

let max_held_bits = Integer.of_string "2147483648"

let max_memory = Integer.of_string "1000000000"

let max_seconds = Integer.of_string "110"
