"""Names of columns of tables of scores, as people and tools write them; they break ties only."""

from __future__ import annotations

import re

QUERY_TEXTS = ((
    "user_input", "question", "input", "prompt", "instruction", "inputs", "input.value", "request",
),)  # fmt: skip
# Names break ties only. Of several groups the first counts in which a name is there.
QUERY_NAMES = (
    ("query_id", "qid", "q_id", "topic_id", "queryid", "topicid", "query_no"),
    (
        "question_id", "example_id", "sample_id", "test_case", "test_case_id", "case_id",
        "prompt_id", "item_id", "dataset_record_id", "datasetitemid", "dataset_item_id", "input_id",
        "dataset_example_id", "reference_example_id", "doc_id", "example.id",
        "task_id", "instance_id", "row_id", "request_id", "search_id",
    ),
    ("query", "topic", "q", "query_text"),
    ("id", "_id", "uid", "uuid", "key", "index", "row", "example", "testcase", "case"),
    *QUERY_TEXTS,
    ("trace_id",),  # each run of a query has its own, unless others' are there
    ("session_id", "conversation_id", "user_id", "userid", "user", "session"),
)  # fmt: skip
VARIANT_NAMES = (
    ("variant", "arm", "treatment", "bucket", "condition"),
    ("system", "model", "ranker", "retriever", "method", "engine", "algorithm", "provider"),
    (
        "run",
        "runid",
        "run_id",
        "run_name",
        "experiment",
        "experiment_id",
        "experiment_name",
        "config",
        "setting",
        "datasetrunname",
        "dataset_run_name",
        "app_version",
        "app_id",
        "model_name",
        "model_id",
        "session",
    ),
    ("group", "name", "configuration", "pipeline", "strategy", "version", "branch", "variable"),
)
# Parts of names of columns that say of which of two groups a row is: is_treatment, in_variant.
GROUP_WORDS = frozenset(("variant", "treatment", "treated", "exposed", "candidate"))
REPEAT_NAMES = frozenset((
    "seed", "fold", "repeat", "repetition", "epoch", "judge_run", "trial", "run_number", "run_no",
    "replicate", "attempt", "random_seed", "sample_index",
))  # fmt: skip
RUN_NAMES = frozenset(("run", "runid", "run_id"))  # beside a system they name its repeats
CLUSTER_NAMES = frozenset((
    "session", "session_id", "conversation", "conversation_id", "user", "user_id", "userid",
    "visitor_id", "account_id", "thread_id", "topic_group", "cluster",
))  # fmt: skip
WEIGHT_NAMES = frozenset((
    "weight", "weights", "traffic", "frequency", "freq", "impressions", "popularity",
    "sample_weight",
))  # fmt: skip
METRIC_NAMES = frozenset((
    "measure", "metric", "metric_name", "measure_name", "evaluator", "evaluator_name", "scorer",
    "criterion", "eval_name", "feedback_key", "metrics",
))  # fmt: skip
SETTING_NAMES = frozenset((
    "chunk_size", "chunk_overlap", "top_k", "k", "k1", "b", "alpha", "beta", "temperature", "depth",
    "embedding_dim", "lr", "learning_rate", "batch_size", "epochs", "layers", "dim", "window",
))  # fmt: skip
# What judges' tools write beside the scores: of the one system of a row, and the rest.
ANSWER_NAMES = frozenset(
    (
        "answer",
        "response",
        "output",
        "completion",
        "prediction",
        "actual_output",
        "context",
        "contexts",
        "retrieved_contexts",
        "retrieval_context",
    )
)
TEXT_NAMES = ANSWER_NAMES.union((
    "user_input", "question", "input", "prompt", "instruction", "text", "reference", "target",
    "ground_truth", "expected_output", "reference_contexts", "explanation", "reason", "rationale",
    "feedback", "comment", "metadata", "error", "status", "timestamp", "created_at", "updated_at",
    "date", "url",
))  # fmt: skip
# Scores and numbers that say nothing of quality: ids, counts, scores of a retriever, places.
NO_QUALITY = re.compile(
    r"(.*_)?ids?|(.*_)?(count|counts|index|idx|timestamp)|(num|n|no|nb|number|count)_.*|top\d*_.*"
    r"|(inputs?|metadata|expected|reference)\..*|.*_(length|len|size)|runid|relstring|start_time|end_time|created_at|line|row|order"
)
