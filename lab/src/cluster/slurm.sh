#!/bin/sh
#SBATCH --job-name=otrera-lab
#SBATCH --ntasks=1
#SBATCH --output=/dev/null
#SBATCH --requeue
# Does one task of an array: slurm.sh TASKS, a file whose line SLURM_ARRAY_TASK_ID is a command of the shell. What it
# prints is in TASKS-N.lines when it has succeeded, what it complained of in TASKS-N.problem when it has failed. Of a
# task that is killed there is neither.
result="$1-$SLURM_ARRAY_TASK_ID"
own="$result-$SLURM_JOB_ID-$$"
begun=$(date +%s)
eval "$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$1")" >"$own.lines" 2>"$own.problem" </dev/null
status=$?
echo $(($(date +%s) - begun)) >"$result.seconds"
if [ $status -eq 0 ]; then
    mv "$own.lines" "$result.lines"
elif [ $status -lt 128 ]; then
    mv "$own.problem" "$result.problem"
fi
exit $status
