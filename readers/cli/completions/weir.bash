# SPDX-License-Identifier: Apache-2.0
# Completion of weir for bash.

_weir() {
    local commands="schema info head cat count stat digest codecs"
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local common="--threads --map --quiet --help"
    local records="--record-tags --salvage"
    local events="--event-tags --event-mask --present"
    local reads="--memory-limit --no-crc --no-page-index"
    local options

    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "$commands --help --version" -- "$current"))
        return
    fi
    case ${COMP_WORDS[1]} in
    schema) options="--json --arrow --hipo --unify --any-case --skip-bad $common" ;;
    info) options="$records --json --leaves --footer $common" ;;
    head | cat) options="--columns --limit --skip --tail --format --flatten --events --no-header --unify
        --any-case --skip-bad $records $events $reads $common" ;;
    count) options="--skip-bad $records $events $common" ;;
    stat) options="--columns --json --time --unify --any-case --skip-bad $records $events $reads $common" ;;
    digest) options="$records $events $reads $common" ;;
    codecs) options="--json --quiet --help" ;;
    *) return ;;
    esac
    case $previous in
    -f | --format)
        COMPREPLY=($(compgen -W "table csv tsv jsonl" -- "$current"))
        return
        ;;
    -c | --columns | -n | --limit | --skip | --tail | --threads | --record-tags | --event-tags | --event-mask | \
        --present | --memory-limit)
        return
        ;;
    esac
    if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
    elif [[ ${COMP_WORDS[1]} != codecs ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}
complete -F _weir weir
