"""Words in the names of costs, of which less is better: such a score is asked for its direction."""

from __future__ import annotations

import re
from unicodedata import combining, normalize

from abrank.measures.names import is_known

# Names of what one would rather have less of.
COSTS = frozenset([
    "latency", "ms", "time", "duration", "elapsed", "second", "ttft", "memory", "mb", "gb",
    "loss", "error", "mae", "mse", "rmse", "wer", "cer", "distance", "regret", "bias",
    "cost", "price", "token", "rank", "position", "reformulation", "bounce", "abandonment",
    "abandoned", "complaint", "churn", "failure", "failed", "timeout", "crash", "violation",
    "perplexity", "ppl", "toxicity", "hallucination", "hallucinated", "refusal",
    "runtime", "sec", "byte", "fp", "fn", "brier", "nll", "fnr", "miss", "wrong",
    "incorrect", "irrelevant", "unsafe", "harm", "harmful", "harmfulness", "maliciousness",
    "dislike", "spam", "duplicate", "retry", "levenshtein", "euclidean", "hamming",
    "delay", "wait", "ttfb", "aht", "dropoff", "dropped", "exit", "unsubscribe", "refund", "pogo",
    "downvote", "negative", "unanswered", "escalation", "jailbreak", "leak", "abandon", "energy",
    "carbon", "kwh", "divergence", "contradiction", "staleness", "backlog",
    "outage", "downtime", "incident", "defect", "bug", "overhead", "stall",
    # French, Spanish, Portuguese and Italian, without accents
    "latence", "temps", "duree", "cout", "erreur", "delai", "attente", "rebond", "perte", "prix",
    "latencia", "tiempo", "duracion", "costo", "coste", "espera", "rebote", "perdida", "precio",
    "tempo", "duracao", "custo", "erro", "errore", "errori", "errores", "latenza", "durata",
    "costi", "perdita", "prezzo", "rimbalzo",
])  # fmt: skip
# German words within compounds; of names in other scripts any part.
_COMPOUND = re.compile(
    r"(fehler|absprung|abbruch|ausfall|kosten|falsch|verzogerung).*"
    r"|.*(zeit|dauer|kosten|latenz|fehler|sekunden|minuten|verlust)"
    r"|.*(時間|遅延|待ち|エラー|コスト|費用|離脱|时间|延迟|耗时|错误|成本|跳出|시간|지연|오류|비용).*"
    r"|.*(задерж|ошиб|стоимост).*"
)
# With one of these at its end a name is of something good: token_f1, rank_correlation.
_GAINS = frozenset([
    "f", "precision", "recall", "accuracy", "overlap", "similarity", "correlation", "saved",
    "reduction", "free",
])  # fmt: skip
# The same of names whose words say it together: percentiles of a time, no result, no click.
_COST = re.compile(
    r"p(50|75|9\d|999?)|(zero|empty|no)_(click|result|answer)s?(_rate)?|noise_sensitivity"
    r"|false_?[a-z_]+|.*(thumbs?_down|drop_off|off_topic|co2).*"
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLURALS = {"losses": "loss", "crashes": "crash", "misses": "miss", "retries": "retry"} | {
    f"{word}s": word for word in COSTS - {"loss", "ms"}
}


def asks_direction(name: str) -> bool:
    """Whether a score that is no measure has a word in its name that costs have."""
    spelled = [word.casefold() for word in _WORD.findall(name)]
    plain = "".join(c for c in normalize("NFD", name.casefold()) if not combining(c))
    letters = re.findall(r"[^\W\d_]+", normalize("NFC", plain))
    if spelled[-1:] and spelled[-1] in _GAINS:
        return False
    words = {*spelled, *letters}
    words |= {_PLURALS.get(word, word) for word in words}
    whole = re.sub(r"[ .-]", "_", name.casefold())
    is_cost = words & COSTS or _COST.fullmatch(whole) or any(map(_COMPOUND.fullmatch, letters))
    return bool(is_cost) and not is_known(name)
