# SPDX-License-Identifier: BSD-3-Clause
# Completion of accrue's commands and options for bash.
_accrue() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} choices=""
  if [ "$COMP_CWORD" = 1 ]; then
    choices="stats forces bits info bench --help --version"
  else
    case "${COMP_WORDS[1]} $before" in
      "stats --format" | "stats -f") choices="text npy raw strd" ;;
      "stats --type" | "stats -t") choices="f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64" ;;
      "forces --format" | "forces -f") choices="nist xyz lammps-data lammps-dump" ;;
      "forces --where") choices="host device" ;;
      "forces --strategy" | "forces -s") choices="automatic critical triangle atomic replicated gather fixed_point" ;;
      "forces --truncation") choices="plain shifted shifted-force" ;;
      *)
        if [[ $word == -* ]]; then
          case "${COMP_WORDS[1]}" in
            stats) choices="--format --type --column --by --skip-empty --skip --json --help" ;;
            forces) choices="--format --strategy --all --where --threads --cutoff --skin --truncation --replicate --repeat --steps --timestep
                             --temperature --seed --json --timeline --help" ;;
            bits) choices="--compare --help" ;;
            info) choices="--json --help" ;;
          esac
        fi
        ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
}
complete -o default -F _accrue accrue
