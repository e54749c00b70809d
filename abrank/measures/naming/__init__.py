"""Names of measures in the dialects of ir_measures, trec_eval and ranx."""
