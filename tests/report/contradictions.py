"""Where what is shown contradicts itself: two numbers of one thing under one label, say."""

import re
from itertools import combinations, product

from tests.report.seen import (
    INTERVAL,
    LEVEL,
    STAR,
    VALUE,
    Claim,
    P,
    Row,
    Seen,
    Table,
    value,
)

# Columns of what an interval can be of; the nearest one at its left is meant.
ESTIMATES = re.compile(
    r"^(Δ%?|Estimate|Value|mean|Δ, all queries|Net share.*|Pseudo-median.*|Mean .*|Median.*)$"
)
INSTEAD = re.compile(r"(?:[Ii]nterval(?:, bars)?|bars) and p: ([^;.\n]*?) \(B − A\), not Δ")
WORDS = (
    "net share of decided queries won", "pseudo-median", "median difference", "prediction",
    "credible", "chi-square",
)  # fmt: skip


_RULE = re.compile(r"Rule: (\S[^.;:]*?) decides by the ([\w ,-]+?)[,;:.]")


def found_in(seen: Seen) -> list[str]:
    """Return every contradiction, in words."""
    claims = [*claims_of(seen)]
    return sorted({
        *_of_one_thing(claims),
        *_of_a_row(seen),
        *_of_the_star(seen),
        *_of_the_deciding(seen, claims),
        *_of_equal_numbers(seen),
        *_of_interactions(seen),
        *_of_the_margin(seen),
        *_of_what_is_not_tested(seen),
        *_of_reach(seen, claims),
        *_of_the_unit(seen),
    })  # fmt: skip


def primary_of(seen: Seen, scope: str = "") -> str:
    """Return the name of the row that decides: the one with a star, else the only one."""
    for table in seen.tables:
        if table.scope == scope and table.titles[:1] in (["measure"], ["Measure"]):
            marked = [row.name for row in table.rows if STAR in row.name]
            return _bare((marked or [row.name for row in table.rows] or [""])[0])
    return ""


def _bare(name: str) -> str:
    return re.sub(r"\s*★.*", "", name).strip()


# --- What is claimed


def claims_of(seen: Seen):
    for table in seen.tables:
        yield from _claims_of_table(seen, table)
    for scope, line in seen.lines:
        yield from _claims_of_line(seen, scope, line)


def _subject(seen: Seen, table: Table, row: Row) -> str:
    """Return what a row is of: the primary measure where it stands for all queries."""
    primary, name = primary_of(seen, table.scope), _bare(row.name)
    first = table.titles[0] if table.titles else ""
    if table.titles[:2] == ["A", "B"]:  # a pair of systems
        return f"{row.cells['B']} − {row.cells['A']}"
    if first == "System" and "Measure" in row.cells:  # a mean of several
        return ", ".join(row.cells.get(name, "") for name in ("System", "Measure", "Test"))
    if STAR in row.name or name in ("As declared", "All queries", primary):
        name = primary
    elif first.lower() not in ("measure", "collection", "#", "guard"):
        name = f"{first}: {name}"
    if table.scope:
        return table.scope if name == primary else f"{table.scope}: {name}"
    return name


def _place_of(table: Table) -> str:
    return f"table {' | '.join(table.titles)[:40]}"


def _claims_of_table(seen: Seen, table: Table):
    where = _place_of(table)
    instead = INSTEAD.search(table.legend)
    # With a star the legend says that the other rows are adjusted.
    has_star = any(STAR in row.name for row in table.rows) and "others adjusted" in seen.text
    for title in table.titles:
        level = LEVEL.search(f"{title} " if "%" in title else "")
        if "interval" not in title.lower() or "like these" in title:
            continue
        adjusted = "adjusted" in title.lower() or "adj" in title.lower().split()
        adjusted |= bool(re.search(r"imits, .* of a collection are adjusted", table.legend))
        for row in table.rows:
            cell = row.cells.get(title, "")
            limits = INTERVAL.search(cell)
            if limits is None:
                continue
            estimand = _estimand(table, title, row)
            if limits[1].endswith("%") and estimand == "Δ":
                estimand = "Δ%"
            if instead and "nterval" in instead[0]:
                estimand = instead[1]
            match = re.search(r"\((\d+(?:\.\d+)?)%\)", cell)
            # A star is not adjusted, a summary of collections neither: the legend says so.
            alone = STAR in row.name and "tested alone" in table.legend + seen.text
            yield Claim(
                where, _subject(seen, table, row), estimand,
                match[1] if match else level[1] if level else "",
                (adjusted or (has_star and STAR not in row.name))
                and not alone
                and not row.name.startswith("="),
                value(limits[1]), value(limits[2]),
            )  # fmt: skip


def _estimand(table: Table, title: str, row: Row) -> str:
    match = re.search(r"of (Δ%?)", title)
    if match:
        return match[1]
    if "What it estimates" in row.cells:
        cell = row.cells["What it estimates"]
        return "Δ" if cell.startswith("mean difference") else cell.lower()
    result = [item for item in table.titles[: table.titles.index(title)] if ESTIMATES.match(item)]
    if not result:
        return title
    return (
        {"Δ, all queries": "Δ", "Estimate": "Δ"}.get(result[-1], result[-1])
        .lower()
        .replace("δ", "Δ")
    )


_PLAIN = re.compile(rf"\(({VALUE}) to ({VALUE})(, adjusted)?\)")
_ABOUT = (
    (r"People alone: ", "Judged by: People alone"),
    (r"Machine alone: ", "Judged by: Machine alone"),
    (r"Collections like these", "= like these"),
)


def _claims_of_line(seen: Seen, scope: str, line: str):
    primary = primary_of(seen, scope)
    names = {_bare(row.name) for table in seen.tables for row in table.rows if table.scope == scope
             and table.titles[:1] in (["measure"], ["Measure"])}  # fmt: skip
    for sentence in re.split(r"(?<=[.;])\s+(?=[A-Z])|\n", line):
        labelled = list(re.finditer(rf"{LEVEL.pattern}[^+−\d]*?({VALUE}) to ({VALUE})", sentence))
        for match in labelled:
            before = sentence[: match.start()]
            if re.search(r"[+−.]", match[2] + match[3]):  # else counts, or shares of samples
                yield _claim_of_line(scope, sentence, before, names, primary, *match.groups())
        for match in _PLAIN.finditer(sentence):
            if not any(item.start() <= match.start() < item.end() for item in labelled):
                before = sentence[: match.start()]
                if "Δ" in before and re.search(r"[+−.]", match[1] + match[2]):
                    claim = _claim_of_line(
                        scope, sentence, before, names, primary, "", match[1], match[2]
                    )
                    yield claim._replace(adjusted=bool(match[3]))


def _claim_of_line(scope, sentence, before, names, primary, level, low, high) -> Claim:
    owner = next((name for start, name in _ABOUT if re.search(start, before)), "")
    if not owner:
        last = max(
            ((before.rfind(name), name) for name in names if name and name in before),
            default=(0, ""),
        )
        owner = last[1] or primary
        if scope:
            owner = scope if owner == primary else f"{scope}: {owner}"
    estimand = "Δ%" if low.endswith("%") else "Δ"
    for word in WORDS:
        if word in before.lower() or (word in sentence.lower() and word in WORDS[3:]):
            estimand = word
    if estimand == "Δ" and re.search(r"probability|highest mean|mean 0|\bI²", before):
        estimand = f"mean: {before[-30:]}"
    match = re.search(rf"(\S+) is {VALUE} \($", before)  # d_z and the like
    if estimand == "Δ" and match and match[1] not in ("difference", "queries"):
        estimand = match[1]
    adjusted = "adjusted" in before[-60:] or "simultaneous" in before[-60:]
    return Claim(f"“{sentence[:70]}”", owner, estimand, level, adjusted, value(low), value(high))


# --- What contradicts


def _of_one_thing(claims: list[Claim]):
    """Two that differ must differ in a label; two that are one are of one thing."""
    by_subject: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        by_subject.setdefault((claim.of, claim.estimand), []).append(claim)
    for group in by_subject.values():
        for first, second in combinations(group, 2):
            if not first.agrees(second) and not first.is_told_from(second):
                yield f"differ without a label: {first} | {second}"
    for first, second in combinations(claims, 2):
        same = first.of == second.of and first.estimand != second.estimand and first.agrees(second)
        units = {first.estimand, second.estimand}
        precise = min(first.high.half, second.high.half) < 0.002 and first.high.number
        if same and precise and units & {"Δ", "Δ%"} and "value" not in units:
            yield f"one interval of two things: {first} | {second}"


ALPHA = re.compile(r"α = (\d\.\d+)")


def _of_a_row(seen: Seen):
    """The interval, the p-value and the reading of a row agree."""
    declared = ALPHA.search(seen.text)
    alpha = float(declared[1]) if declared else 0.05
    for table in seen.tables:
        for row in table.rows:
            adjusted = row.cells.get("adj p", "")
            raw = row.cells.get("p", "")
            visible = adjusted or raw
            p = _p(visible)
            reading = row.cells.get("reading", row.cells.get("Reading", ""))
            if p is not None and reading:
                word = re.search(r"better|worse|unclear", reading)
                decides = word and not re.search(r"not |same|\?\s*(?!unclear)\w", reading)
                if decides and word and (p < alpha) is (word[0] == "unclear") and p != alpha:
                    yield f"reading “{reading}” beside p {visible}: {row.name}"
            for title, cell in row.cells.items():
                limits = INTERVAL.search(cell) if "interval" in title.lower() else None
                level = LEVEL.search(title)
                if p is None or limits is None or "(" in cell or "credible" in title:
                    continue
                if level and abs(1.0 - float(level[1]) / 100.0 - alpha) > 0.006:
                    continue
                if (
                    adjusted
                    and table.titles.count("p") + table.titles.count("Adjusted interval")
                    and "djusted" not in title
                ):
                    continue
                low, high = value(limits[1]), value(limits[2])
                if 0.0 in (low.number, high.number) or p == alpha:
                    continue
                outside = low.number > 0.0 or high.number < 0.0
                if outside is not (p < alpha):
                    yield f"interval {cell} beside p {visible}: {row.name}"


def _p(text: str) -> float | None:
    match = re.fullmatch(r"(<?)\s*(\d*\.\d+)", text.strip())
    return None if match is None else float(match[2]) - 1e-9 * bool(match[1])


def _of_the_star(seen: Seen):
    """A star stands where the rule says that it decides."""
    rule = _RULE.search(seen.text)
    people = bool(re.search("(?:^|: )people alone decide", seen.text, re.I | re.M))
    for table in seen.tables:
        if table.scope:
            continue
        for row in table.rows:
            if STAR not in row.name:
                continue
            name, first = _bare(row.name), (table.titles or [""])[0].lower()
            if first == "measure" and rule and not rule[1].endswith(name):
                yield f"star at {name}, but the rule says {rule[1]}"
            if first == "test" and rule and rule[2].split()[-2].lower() not in name.lower():
                yield f"star at the test {name}, but the rule says {rule[2]}"
            if first == "judged by" and people is not (name == "People alone"):
                who = "people alone" if people else "people and machine"
                yield f"star at “{name}”, but {who} decide"
            role = row.cells.get("Role", "decides")
            if "decides" not in role or "never" in role:
                yield f"star at “{name}”, whose role is “{role}”"


def _of_the_deciding(seen: Seen, claims: list[Claim]):
    """The interval of the headline is the one printed in the row of the measure that decides."""
    primary = primary_of(seen)
    ours = [claim for claim in claims if claim.of == primary and claim.estimand == "Δ"]
    forms = "→", "goes from"  # of the two means in the headline, today and on old pages
    message = [our for our in ours if any(x in our.where for x in forms) and our.level]
    tables = [
        _place_of(table) for table in seen.tables if "".join(table.titles[:1]).lower() == "measure"
    ]
    for first, second in product(message[:1], [our for our in ours if our.where in tables[:1]]):
        if not first.agrees(second):
            yield f"the headline's interval is not that of its row: {first} | {second}"


_SHARES = re.compile(rf"({VALUE}) to ({VALUE}), that is ({VALUE}) to ({VALUE})")
_THAT_IS = re.compile(
    rf"(?<![\w.])({VALUE})((?: of A's mean)?)[,:(]* that is,? (?:about )?({VALUE})"
)


def _of_equal_numbers(seen: Seen):
    """What “that is” joins is one number: an amount, or a share of A's mean."""
    means = [
        value(row.cells["A"]).number
        for table in seen.tables
        for row in table.rows
        if _bare(row.name) == primary_of(seen, table.scope)
        and re.fullmatch(VALUE, row.cells.get("A", ""))
    ]
    for match in _SHARES.finditer(seen.text):
        ends, shares = map(value, match.group(1, 2)), map(value, match.group(3, 4))
        for end, share in zip(ends, shares, strict=True):
            if means and abs(end.number - share.number / 100.0 * means[0]) > 2.0 * end.half:
                yield f"“that is” joins {match[0].replace(', that is ', ' and ')}"
    for match in _THAT_IS.finditer(_SHARES.sub("", seen.text)):
        first, second = value(match[1]), value(match[3])
        if match[1].endswith("%") is not match[3].endswith("%"):
            share, amount = (first, second) if match[1].endswith("%") else (second, first)
            if not means:
                continue
            expected = share.number / 100.0 * means[0]
            # A declared share is exact, a change is rounded.
            rounded = share.half * (share.half < 0.5)
            room = 1.02 * amount.half + (rounded * means[0] + share.number * 0.0005) / 100.0
            if abs(abs(expected) - abs(amount.number)) > room:
                yield f"“that is” joins {match[1]} and {match[3]}"
        elif not first.equals(second):
            yield f"“that is” joins {match[1]} and {match[3]}"


def _of_interactions(seen: Seen):
    """Whether segments differ has one p-value, or two under two names."""
    result: dict[tuple[str, bool], set[str]] = {}
    for _, line in seen.lines:
        for match in re.finditer(
            rf"By ([^,.;]+),[^.]*?(?:segments differ|not shown to differ)[^.]*?\(({P.pattern})",
            line,
        ):
            result.setdefault((match[1], "adj" in match[2]), set()).add(match[5])
        for match in re.finditer(rf"^([^:]+): do its segments differ\?.*?({P.pattern})", line):
            result.setdefault((match[1], "adj" in match[2]), set()).add(match[5])
    for (name, _), visible in result.items():
        if len(visible) > 1:
            yield f"two p-values of one interaction, {name}: {' and '.join(sorted(visible))}"


_IN_UNIT_RANGE = re.compile(r"^(?:nDCG|AP|RR|P|R|Success|F1)(?:@\d+)?$")


def _of_the_margin(seen: Seen):
    """The margin judges the row that decides: no other has its band, or reads without its 0."""
    has_margin = re.search(r"decides by .*?, margin \d", seen.text)
    for table in seen.tables:
        starred = any(STAR in row.name for row in table.rows) and not table.scope
        for row in table.rows if starred else ():
            if STAR in row.name:
                continue
            if row.has_band:
                yield f"the band of a margin in a row that it does not judge: {row.name}"
            reading = row.cells.get("reading", "")
            is_plain = re.fullmatch(r"[▲▼] (?:better|worse)(?: [✓✗] guard)?", reading)
            if has_margin and is_plain:
                yield f"reading “{reading}” against 0 beside one against a margin: {row.name}"


def _of_what_is_not_tested(seen: Seen):
    """A row that is not tested has no p and no interval."""
    for table in seen.tables:
        for row in table.rows:
            reading = row.cells.get("reading", row.cells.get("Reading", ""))
            if "untested" not in reading:
                continue
            if _p(row.cells.get("adj p", row.cells.get("p", ""))) is not None:
                yield f"p in a row that was not tested: {row.name}"
            if any(INTERVAL.search(x) for t, x in row.cells.items() if "interval" in t):
                yield f"interval in a row that was not tested: {row.name}"


def _of_reach(seen: Seen, claims: list[Claim]):
    """Limits lie where the measure can be, and an interval has an end."""
    in_range = _IN_UNIT_RANGE.match(primary_of(seen))
    for claim in claims:
        if claim.estimand != "Δ" or not in_range:
            continue
        of_primary = claim.of == primary_of(seen) or ": " in claim.of
        if of_primary and max(abs(claim.low.number), abs(claim.high.number)) > 1.0:
            yield f"limits beyond the measure's range: {claim}"
    for text in (
        seen.text,
        *(x for t in seen.tables for row in t.rows for x in row.cells.values()),
    ):
        if re.search(r"−∞ to \+?∞", text):
            yield "an interval from −∞ to ∞"


def _of_the_unit(seen: Seen):
    """Where the scorecard is in per cent of A's mean, so are its segments."""
    first = next((t for t in seen.tables if t.titles[:1] == ["measure"]), None)
    if first is None or "Δ%" not in first.titles:
        return
    for table in seen.tables:
        if any(row.name == "All queries" for row in table.rows) and "Δ" in table.titles:
            yield f"segments not in per cent: {table.titles[0]}"
