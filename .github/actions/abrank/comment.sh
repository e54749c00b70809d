#!/usr/bin/env bash
# Keeps one comment on a pull request up to date; where the token may not write, it says so.
set -uo pipefail

mark="<!-- abrank:$ABRANK_ID -->"
summary="$ABRANK_REPORTS/summary.md"
[[ -f $summary ]] || exit 0

place="repos/$GITHUB_REPOSITORY/issues"
body="$ABRANK_REPORTS/comment.md"
{ printf '%s\n' "$mark"; cat "$summary"; } > "$body"

# A pull request from a fork has a token that reads only: the summary of the step is still there.
give_up() {
    echo "::notice title=abrank::No comment was written, as for a pull request from a fork:" \
        "the token may not write. The result is in the summary of this job."
    exit 0
}

found=$(gh api --paginate "$place/$ABRANK_PULL_REQUEST/comments" \
    --jq ".[] | select(.body | startswith(\"$mark\")) | .id") || give_up
first=$(head -n 1 <<< "$found")
if [[ -n $first ]]; then
    gh api --silent --method PATCH "$place/comments/$first" --field "body=@$body" || give_up
else
    gh api --silent --method POST "$place/$ABRANK_PULL_REQUEST/comments" --field "body=@$body" \
        || give_up
fi
