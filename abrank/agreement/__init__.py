"""Two judges of the same documents: how far they agree, and how that affects an evaluation."""

from abrank.agreement.judges import judge_agreement
from abrank.agreement.result import (
    Estimate,
    JudgeAgreement,
    JudgedPair,
    JudgedVerdict,
    JudgesApart,
)

__all__ = [
    "Estimate",
    "JudgeAgreement",
    "JudgedPair",
    "JudgedVerdict",
    "JudgesApart",
    "judge_agreement",
]
