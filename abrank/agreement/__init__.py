"""Two judges of the same documents: how far they agree, and how that affects an evaluation."""

from abrank.agreement.judges import judge_agreement
from abrank.agreement.result import JudgeAgreement, JudgedPair, JudgedVerdict

__all__ = ["JudgeAgreement", "JudgedPair", "JudgedVerdict", "judge_agreement"]
