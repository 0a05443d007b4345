# Sourced by the scripts beside it: checks the machine, and installs the Debian packages that are missing.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'volley: %s\n' "$@" >&2
    exit 1
}

# need_swift MAJOR.MINOR
need_swift() {
    local hint="Install Swift $1 or newer for Debian 12 from swift.org, and put its usr/bin into PATH."
    command -v swift >/dev/null || fail "There is no Swift on this machine." "$hint"
    local said version
    said=$(swift --version 2>&1) ||
        fail "'swift --version' fails; the page you downloaded Swift from lists the packages it needs:" "$said"
    version=$(sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' <<<"$said" | head -n 1)
    [[ -n $version ]] || fail "'swift --version' reports no version:" "$said" "$hint"
    [[ $(printf '%s\n%s\n' "$1" "$version" | sort -V | head -n 1) == "$1" ]] ||
        fail "Swift $version is too old." "$hint"
}

# need_packages NAME...
need_packages() {
    command -v dpkg-query >/dev/null || fail "This is not Debian; install by hand what these packages contain:" "$*"
    local missing=() package
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    local apt=(apt-get -qq -o Dpkg::Use-Pty=0) log
    if ((EUID != 0)); then
        command -v sudo >/dev/null ||
            fail "These packages are missing; install them as root, then try again:" "  apt-get install ${missing[*]}"
        apt=(sudo "${apt[@]}")
    fi
    echo "volley: installing ${missing[*]}" >&2
    log=$(mktemp)
    export DEBIAN_FRONTEND=noninteractive
    if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        fail "The packages could not be installed; is there a network, and a Debian mirror in /etc/apt?" "The log is $log."
    fi
    rm -f "$log"
}

# unpacked NAME: prints a folder with what is in that package, which is not installed: its daemon would be started.
unpacked() {
    local cache=${XDG_CACHE_HOME:-$HOME/.cache}/volley/$1 work
    if [[ ! -d $cache ]]; then
        mkdir -p "$(dirname "$cache")"
        work=$(mktemp -d "$cache.XXXXXX")
        (cd "$work" && apt-get -qq -o APT::Sandbox::User= download "$1" && dpkg-deb -x ./*.deb "$work" && rm ./*.deb) ||
            fail "The package $1 could not be fetched; is there a network, and a Debian mirror in /etc/apt?"
        mv -T "$work" "$cache" || rm -rf "$work"
    fi
    echo "$cache"
}

# python_with NAME==VERSION...: prints a folder with a Python that has these packages of PyPI.
python_with() {
    local cache
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/volley/python-$(sha256sum <<<"$*" | head -c 16)
    mkdir -p "$(dirname "$cache")"
    (
        flock 9
        # What is in a virtual environment names its folder, so it is made in its place.
        [[ -e $cache/complete ]] || {
            rm -rf "$cache"
            python3 -m venv "$cache" && "$cache/bin/pip" install --quiet --disable-pip-version-check "$@" >&2 &&
                touch "$cache/complete"
        }
    ) 9>"$cache.lock" || fail "These packages could not be fetched from PyPI; is there a network?" "$*"
    echo "$cache"
}

# What the programs are built with.
libraries=(libzmq3-dev libssl-dev libv4l-dev libturbojpeg0-dev libtiff-dev zlib1g-dev libexif-dev libsqlite3-dev libcairo2-dev)

# Optimised, as shipped. Tests build in a folder of their own, with @testable enabled and with the steps at which a test
# can kill a program.
flags=(--configuration release)
if [[ -n ${VOLLEY_TEST_BUILD:-} ]]; then
    flags+=(--scratch-path .build/tests -Xswiftc -enable-testing -Xswiftc -DFAILPOINTS)
fi

# build ARGUMENT...: one line of progress on a terminal, and the errors if it fails; $part says which of several it is.
build() {
    local log id step status=0 began=$SECONDS
    log=$(mktemp)
    [[ -d ${scratch:-.build} ]] ||
        echo "volley: the first build takes some ten minutes of two cores; this machine has $(nproc)" >&2
    echo "volley: building ${*: -1}${part:+ ($part)}" >&2
    swift build "${flags[@]}" --explicit-target-dependency-import-check error "$@" >"$log" 2>&1 &
    id=$!
    while [[ -t 2 ]] && kill -0 "$id" 2>/dev/null; do
        # The last of its steps: [612/1540] Compiling ...
        step=$(grep -aoE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 1) || true
        printf '\r\033[K%s%d s' "${step:+$step, }" "$((SECONDS - began))" >&2
        sleep 1
    done
    [[ ! -t 2 ]] || printf '\r\033[K' >&2
    wait "$id" || status=$?
    if ((status != 0)); then
        grep -E 'error:' "$log" | sort -u | head -n 40 >&2 || true
        fail "The build failed; the whole log is $log."
    fi
    rm -f "$log"
}

# products: prints the folder of what was built.
products() { swift build "${flags[@]}" --show-bin-path; }
