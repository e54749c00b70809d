#!/usr/bin/env bash
# Compares, writes the reports and the step summary, and records verdict and exit code.
set -uo pipefail
# PYTHONPATH of a build mostly names the branch under judgment, whose json.py must not be imported.
unset PYTHONPATH

# Words as a shell splits them, and nothing more: no variable, command or pattern in them counts.
words=()
while IFS= read -r -d '' word; do words+=("$word"); done \
    < <(printf '%s' "$ABRANK_ARGS" | xargs printf '%s\0')

reports=(--report "html:$ABRANK_REPORTS/report.html" --report "json:$ABRANK_REPORTS/results.json"
    --report "junit:$ABRANK_REPORTS/junit.xml" --report "md:$ABRANK_REPORTS/summary.md")
[[ -z ${ABRANK_LEDGER:-} ]] || words+=(--ledger "$ABRANK_LEDGER")
rm -f "$ABRANK_REPORTS"/{history.html,report.html,results.json,junit.xml,summary.md}
abrank compare "${words[@]}" "${reports[@]}"
code=$?
if [[ -n ${ABRANK_LEDGER:-} && -d $ABRANK_LEDGER ]]; then
    abrank history "$ABRANK_LEDGER" --quiet --report "html:$ABRANK_REPORTS/history.html" > /dev/null
fi
verdict=""
if [[ -f $ABRANK_REPORTS/results.json ]]; then
    cat "$ABRANK_REPORTS/summary.md" >> "$GITHUB_STEP_SUMMARY"
    verdict=$(python -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["verdict"]["state"])' \
        "$ABRANK_REPORTS/results.json")
fi
printf 'exit-code=%s\nverdict=%s\n' "$code" "$verdict" >> "$GITHUB_OUTPUT"
# The last step of the action leaves with the code, so that reports and comment come first.
