#!/usr/bin/env bash
# Keeps a ledger on a branch of its own: "fetch" before the comparison, "push" after it.
set -uo pipefail

branch="refs/heads/$ABRANK_LEDGER_BRANCH"
kept="refs/abrank/ledger"

# Each entry is a file of its own: those of others are laid beside ours.
fetch() {
    if git fetch --quiet --depth 1 origin "+$branch:$kept" 2>/dev/null; then
        mkdir -p "$ABRANK_LEDGER" && git archive "$kept" | tar -x -C "$ABRANK_LEDGER"
        return
    fi
    git ls-remote --exit-code origin "$branch" > /dev/null
    [[ $? -eq 2 ]] && return  # there is no such branch yet
    echo "::error title=abrank::The ledger on $ABRANK_LEDGER_BRANCH cannot be read."
    exit 1
}

if [[ $1 == fetch ]]; then
    fetch
    exit
fi
[[ -d $ABRANK_LEDGER ]] || exit 0
place=$(git rev-parse --absolute-git-dir)
export GIT_INDEX_FILE="$place/abrank-ledger" GIT_DIR="$place"
export GIT_AUTHOR_NAME=abrank GIT_AUTHOR_EMAIL=abrank@localhost
export GIT_COMMITTER_NAME=abrank GIT_COMMITTER_EMAIL=abrank@localhost
for _ in 1 2 3 4 5; do
    fetch
    git -C "$ABRANK_LEDGER" --work-tree=. add --all --force . ':!.turn'
    tree=$(git write-tree)
    parent=$(git rev-parse --quiet --verify "$kept")
    if [[ -n $parent && $tree == "$(git rev-parse "$kept^{tree}")" ]]; then
        exit 0
    fi
    made=$(git commit-tree "$tree" ${parent:+-p "$parent"} -m "The ledger after $GITHUB_SHA")
    git push --quiet origin "$made:$branch" 2>/dev/null && exit 0
    sleep "${ABRANK_WAIT:-2}"  # another build was quicker
done
echo "::notice title=abrank::The ledger on $ABRANK_LEDGER_BRANCH was not written, as for a pull" \
    "request from a fork: the token may not write there."
