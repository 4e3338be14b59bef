#!/bin/sh
# environment.sh FOLDER [PYTHON]: a virtual environment, made with uv where it is there, else with venv and pip.
# It says in both languages what is missing, and leaves nothing half made.
folder=$1
wanted=$2

refuse() {
  printf 'Celosía: %s\nCelosía: %s\n' "$1" "$2" >&2
  exit 2
}

new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

make_it() {
  if command -v uv >/dev/null 2>&1; then
    uv venv --quiet --python "$1" "$folder"
  else
    "$1" -m venv "$folder"
  fi
}

works() {
  "$folder/bin/python" -c '' && { command -v uv || "$folder/bin/python" -m pip --version; }
}

if [ -d "$folder" ]; then
  works >/dev/null 2>&1 && exit 0
  refuse "el entorno «$folder» no sirve: bórrelo con «rm -rf $folder» y repita." \
    "the environment '$folder' is of no use: delete it by 'rm -rf $folder' and try again."
fi

for python in ${wanted:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
  new_enough "$python" && break
  python=
done
if [ -z "$python" ]; then
  refuse "no se encontró Python 3.11 o posterior; si está en otro lugar, agregue PYTHON=/ruta/python3 al comando." \
    "no Python 3.11 or newer was found; if it is elsewhere, add PYTHON=/path/python3 to the command."
fi

trap 'rm -rf "$folder"' INT TERM
if ! make_it "$python" >&2; then
  rm -rf "$folder"
  refuse "no se pudo crear el entorno; en Debian y Ubuntu, instale python3-venv." \
    "the environment could not be made; on Debian and Ubuntu, install python3-venv."
fi
