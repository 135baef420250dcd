#!/usr/bin/env bash
# Puts a runnable Godot 4 editor binary into a folder, from the Debian packages of the mirror
# that this machine's apt already uses. No root, nothing installed, nothing outside the folder.
#
#   get-godot.sh [--dest DIR] [--mirror URL] [--suites "forky sid"] [--with gl|vulkan|xvfb|template]... [--force]
#
# Nothing is unpacked that Debian has not signed: Release by its signature, the package list and the packages by
# their hashes. GODOT_KEYRING names another keyring, such as that of a company's own mirror.
#
# The last line on stdout is the path of the binary; progress goes to stderr.
# Exit codes: 0 ready, 2 usage, 3 unsuitable machine, 4 download or check failed, 5 the binary does not run.
set -euo pipefail
export LC_ALL=C

DEST="${GODOT_DEST:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/godot-mcp-omni/godot}"
MIRROR="${GODOT_MIRROR:-}"
SUITES="${GODOT_SUITES:-forky sid}"
JOBS="${GODOT_JOBS:-6}"
KEYRING="${GODOT_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}"
WITH=""
FORCE=0

say() { printf '[get-godot] %s\n' "$*" >&2; }
die() {
  local code=$1
  shift
  say "ERROR: $*"
  exit "$code"
}

while [ $# -gt 0 ]; do
  case "$1" in
    --dest | --mirror | --suites | --with) [ $# -ge 2 ] || die 2 "$1 needs a value" ;;
  esac
  case "$1" in
    --dest) DEST=$2; shift 2 ;;
    --mirror) MIRROR=$2; shift 2 ;;
    --suites) SUITES=$2; shift 2 ;;
    --with) WITH="$WITH $2"; shift 2 ;;
    --force) FORCE=1; shift ;;
    -h | --help) sed -n '2,12p' "$0"; exit 0 ;;
    *) die 2 "unknown argument: $1" ;;
  esac
done

mkdir -p "$DEST"
DEST=$(cd "$DEST" && pwd -P)
# The loader's path is written into the binary, and a colon would split the library path.
case "$DEST" in *[[:space:]:]*) die 2 "the folder's name must hold no space or colon: $DEST" ;; esac

BIN="$DEST/root/usr/bin/godot"
WANT="godot patchelf"
HEADLESS=1
for extra in $WITH; do
  case "$extra" in
    gl) HEADLESS=0 WANT="$WANT libgl1 libegl1 libgles2 libglx-mesa0 libgl1-mesa-dri libegl-mesa0" ;;
    vulkan) HEADLESS=0 WANT="$WANT libvulkan1 mesa-vulkan-drivers" ;;
    xvfb) HEADLESS=0 WANT="$WANT xvfb xkb-data x11-xkb-utils" ;;
    template) WANT="$WANT godot-template-release" ;;
    *) die 2 "unknown --with: $extra" ;;
  esac
done
STAMP="want: $WANT"

ready() {
  [ "$FORCE" = 0 ] && [ -f "$DEST/stamp" ] && [ "$(head -1 "$DEST/stamp")" = "$STAMP" ] &&
    [ -x "$BIN" ] && HOME="$DEST" "$BIN" --version >/dev/null 2>&1
}
answer_ready() {
  say "already there: $(sed -n 's/^version: //p' "$DEST/stamp")"
  echo "$BIN"
  exit 0
}
if ready; then answer_ready; fi

# ---- the machine ------------------------------------------------------------
[ "$(uname -s)" = Linux ] || die 3 "Linux only"
case "$(uname -m)" in
  x86_64)
    ARCH=amd64 TRIPLE=x86_64-linux-gnu LOADER=ld-linux-x86-64.so.2
    grep -qw sse4_2 /proc/cpuinfo || die 3 "this CPU has no SSE4.2, which Debian's build needs"
    ;;
  aarch64) ARCH=arm64 TRIPLE=aarch64-linux-gnu LOADER=ld-linux-aarch64.so.1 ;;
  *) die 3 "Debian has no Godot for $(uname -m)" ;;
esac
for tool in curl xz awk sha256sum xargs tar; do command -v $tool >/dev/null || die 3 "needs $tool"; done
if command -v gpgv >/dev/null; then VERIFY="gpgv --quiet"
elif command -v sqv >/dev/null; then VERIFY=sqv
else die 3 "needs gpgv or sqv, to check Debian's signature"; fi
[ -r "$KEYRING" ] || die 3 "needs the package debian-archive-keyring, to check Debian's signature: no $KEYRING"
if command -v dpkg-deb >/dev/null; then UNPACK=dpkg
elif command -v ar >/dev/null; then UNPACK=ar
else die 3 "needs dpkg-deb or ar"; fi
if [ -z "$MIRROR" ] && command -v apt-get >/dev/null; then
  MIRROR=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -E '/debian/?$' | head -1 || true)
fi
MIRROR="${MIRROR%/}"
[ -n "$MIRROR" ] || die 3 "apt names no Debian mirror on this machine: pass --mirror URL"
FREE=$(df -Pm "$DEST" | awk 'NR==2{print $4}')
[ "$FREE" -ge 1200 ] || die 3 "needs 1200 MB free in $DEST, has $FREE"

# One installer at a time in a folder; the second finds the work done.
if command -v flock >/dev/null; then
  exec 9>"$DEST/.lock"
  flock 9
  if ready; then answer_ready; fi
fi

get() { curl -fsS --retry 4 --retry-delay 1 --retry-connrefused --connect-timeout 15 -m 600 -o "$2" "$1"; }

# ---- what to fetch: signed Release -> hash -> package list -> closure ---------
W="$DEST/work"
rm -rf "$W"
mkdir -p "$W/deb"

# Machines that use a frozen copy of the mirror say so in apt's configuration, and apt then accepts it as well.
takes_old_lists() { [ "$(apt-config shell CHECK Acquire::Check-Valid-Until/b 2>/dev/null)" = "CHECK='false'" ]; }

# The signature is in a file of its own: text around the signed part of an InRelease would be read with it.
package_list() { # suite
  local list="main/binary-$ARCH/Packages.xz" hash until
  get "$MIRROR/dists/$1/Release" "$W/Release" && get "$MIRROR/dists/$1/Release.gpg" "$W/Release.gpg" ||
    { say "no signed $1 on the mirror"; return 1; }
  $VERIFY --keyring "$KEYRING" "$W/Release.gpg" "$W/Release" >"$W/verify.log" 2>&1 ||
    { say "bad signature on $1"; cat "$W/verify.log" >&2; return 1; }
  grep -qxE "(Suite|Codename): $1" "$W/Release" || { say "the mirror has another release in place of $1"; return 1; }
  until=$(sed -n 's/^Valid-Until: //p' "$W/Release")
  [ -z "$until" ] || takes_old_lists || [ "$(date -d "$until" +%s)" -gt "$(date +%s)" ] ||
    { say "the mirror's $1 is too old: it was valid until $until"; return 1; }
  hash=$(awk -v p="$list" '/^SHA256:/{s=1;next} /^[^ ]/{s=0} s&&$3==p{print $1;exit}' "$W/Release")
  [ -n "$hash" ] || { say "$1 lists no $list"; return 1; }
  get "$MIRROR/dists/$1/main/binary-$ARCH/by-hash/SHA256/$hash" "$W/Packages.xz" 2>/dev/null ||
    get "$MIRROR/dists/$1/$list" "$W/Packages.xz" || { say "no package list for $1"; return 1; }
  echo "$hash  $W/Packages.xz" | sha256sum -c --status || { say "the package list of $1 fails its hash"; return 1; }
}

# Depends and Pre-Depends, the first alternative that exists. Packages that hold only data are left out,
# and without a display so is mesa-libgallium, which alone brings LLVM.
closure() {
  xz -dc "$W/Packages.xz" | awk -v want="$WANT" -v headless="$HEADLESS" '
    BEGIN {
      n = split("debconf lsb-base sysvinit-utils x11-common sse4.2-support isa-support fontconfig-config libx11-data libc-gconv-modules-extra xkb-data libsensors-config libdrm-common libasound2-data", a, " ")
      for (i = 1; i <= n; i++) skip[a[i]] = 1
      if (headless) skip["mesa-libgallium"] = 1
      else { delete skip["xkb-data"]; delete skip["libx11-data"] }
    }
    function keep(  i, m, b, x) {
      if (p != "" && !(p in file)) {
        file[p] = f; sum[p] = h; size[p] = z; ver[p] = v; dep[p] = d
        m = split(pr, b, /, */)
        for (i = 1; i <= m; i++) { x = b[i]; sub(/ .*/, "", x); if (x != "" && !(x in prov)) prov[x] = p }
      }
      p = f = h = z = d = v = pr = ""
    }
    /^$/ { keep(); next }
    /^Package: / { p = $2 } /^Filename: / { f = $2 } /^SHA256: / { h = $2 } /^Size: / { z = $2 } /^Version: / { v = $2 }
    /^(Pre-)?Depends: / { sub(/^[^:]*: /, ""); d = d (d == "" ? "" : ", ") $0 }
    /^Provides: / { sub(/^[^:]*: /, ""); pr = $0 }
    END {
      keep()
      q = split(want, queue, " ")
      for (i = 1; i <= q; i++) seen[queue[i]] = 1
      for (i = 1; i <= q; i++) {
        x = queue[i]
        if (!(x in file)) { if (x in prov) x = prov[x]; else { print "MISSING " x; continue } }
        if (x in done) continue
        done[x] = 1
        printf "%s %s %s %s %s\n", size[x], sum[x], file[x], x, ver[x]
        m = split(dep[x], b, /, */)
        for (j = 1; j <= m; j++) {
          k = split(b[j], alt, / *\| */); pick = ""
          for (l = 1; l <= k; l++) { y = alt[l]; sub(/[ (:].*/, "", y); if ((y in file) || (y in prov)) { pick = y; break } }
          if (pick == "") { print "MISSING " b[j]; continue }
          if (!(pick in seen) && !(pick in skip) && pick !~ /^gcc-[0-9]+-base$/) { seen[pick] = 1; queue[++q] = pick }
        }
      }
    }' >"$W/closure"
}

FOUND=""
for suite in $SUITES; do
  package_list "$suite" || continue
  closure
  if grep -q '^MISSING' "$W/closure"; then
    say "$suite: $(grep -m3 '^MISSING' "$W/closure" | tr '\n' ' ')"
    continue
  fi
  case "$(awk '$4=="godot"{print $5}' "$W/closure")" in
    4.*) FOUND=$suite; break ;;
    *) say "$suite: godot is not version 4" ;;
  esac
done
[ -n "$FOUND" ] || die 4 "none of the suites ($SUITES) gives a Godot 4"
sort -rn "$W/closure" -o "$W/closure"
say "$FOUND: godot $(awk '$4=="godot"{print $5}' "$W/closure"), $(wc -l <"$W/closure") packages, $(awk '{s+=$1} END{printf "%d",s/1048576}' "$W/closure") MB to fetch"

# ---- fetch, check, unpack: overlapped, biggest first ------------------------
rm -rf "$DEST/root.new"
mkdir -p "$DEST/root.new"
export W MIRROR UNPACK NEW="$DEST/root.new"
data_of() { # deb
  if [ "$UNPACK" = dpkg ]; then dpkg-deb --fsys-tarfile "$1"; return; fi
  local member
  member=$(ar t "$1" | grep '^data.tar')
  case "$member" in
    *.xz) ar p "$1" "$member" | xz -dc ;;
    *.zst) ar p "$1" "$member" | zstd -dc ;;
    *.gz) ar p "$1" "$member" | gzip -dc ;;
    *) ar p "$1" "$member" ;;
  esac
}
one() { # size hash file
  local deb="$W/deb/${3##*/}"
  get "$MIRROR/$3" "$deb" || { echo "fetch failed: $3" >&2; return 255; }
  echo "$2  $deb" | sha256sum -c --status || { echo "hash mismatch: $3" >&2; return 255; }
  data_of "$deb" | tar -x -C "$NEW" --no-same-owner --exclude='./usr/share/doc' --exclude='./usr/share/man' \
    --exclude='./usr/share/locale' --exclude='./usr/share/lintian' || { echo "unpack failed: $3" >&2; return 255; }
  rm -f "$deb"
}
export -f get data_of one
awk '{print $1,$2,$3}' "$W/closure" | xargs -P "$JOBS" -L1 bash -c 'set -o pipefail; one "$@"' _ ||
  die 4 "a package could not be fetched or unpacked"

# ---- let the binary stand on its own -----------------------------------------
# The editor starts games by its own executable's path, so it must run directly: neither through the
# loader nor with LD_LIBRARY_PATH. The loader and the library path are written into it instead.
rm -rf "$DEST/root"
mv "$DEST/root.new" "$DEST/root"
L="$DEST/root/usr/lib/$TRIPLE"
[ -e "$L/$LOADER" ] || die 5 "no $LOADER in the unpacked tree"
patch() { "$L/$LOADER" --library-path "$L" "$DEST/root/usr/bin/patchelf" "$@"; }
own() { patch --set-interpreter "$L/$LOADER" --force-rpath --set-rpath "\$ORIGIN/../lib/$TRIPLE" "$1"; }
# A library with a RUNPATH of its own (libpulse, libLLVM) hides the program's path from what it needs itself:
# every such path goes, and private libraries are put beside the others.
for f in "$L"/pulseaudio/*.so; do if [ -e "$f" ]; then ln -sf "pulseaudio/${f##*/}" "$L/${f##*/}"; fi; done
for f in "$L"/*.so "$L"/*.so.* "$L"/pulseaudio/*.so "$L"/dri/*.so; do
  if [ -f "$f" ] && [ ! -L "$f" ] && [ -n "$(patch --print-rpath "$f" 2>/dev/null)" ]; then patch --remove-rpath "$f"; fi
done
own "$BIN"
B="$DEST/root/usr/bin"
if [ -x "$B/godot-template-release" ]; then
  # A release build is a copy of it in another folder, so it finds its libraries by their whole path.
  patch --set-interpreter "$L/$LOADER" --force-rpath --set-rpath "$L" "$B/godot-template-release"
fi
if [ -x "$B/Xvfb" ]; then
  # Xvfb starts /usr/bin/xkbcomp; it is sent to the unpacked one by a relative path of the same length.
  own "$B/Xvfb"
  own "$B/xkbcomp"
  sed -i 's#\x00/usr/bin\x00#\x00xkbtools\x00#' "$B/Xvfb"
  ln -sfn root/usr/bin "$DEST/xkbtools"
fi
# The Vulkan driver list names its library by a system path: make it this tree's.
for f in "$DEST"/root/usr/share/vulkan/icd.d/*.json; do
  if [ -e "$f" ]; then sed -i -E "s#\"library_path\": *\"[^\"]*/?(libvulkan_[a-z]+\.so)\"#\"library_path\": \"$L/\1\"#" "$f"; fi
done
# For runs with a display: software GL and Vulkan from the same tree.
cat >"$DEST/env.sh" <<EOS
export LIBGL_ALWAYS_SOFTWARE=1 LIBGL_DRIVERS_PATH="$L/dri"
export __EGL_VENDOR_LIBRARY_DIRS="$DEST/root/usr/share/glvnd/egl_vendor.d"
export GBM_BACKENDS_PATH="$L/gbm" XKB_CONFIG_ROOT="$DEST/root/usr/share/X11/xkb" XLOCALEDIR="$DEST/root/usr/share/X11/locale"
for i in "$DEST"/root/usr/share/vulkan/icd.d/lvp_icd*.json; do if [ -e "\$i" ]; then export VK_DRIVER_FILES="\$i"; fi; done
# start_xvfb N: starts an X server on display :N and prints its process id
start_xvfb() { (cd "$DEST" && exec root/usr/bin/Xvfb ":\$1" -screen 0 "\${2:-1280x720x24}" -nolisten tcp -xkbdir "$DEST/root/usr/share/X11/xkb" >"$DEST/xvfb-\$1.log" 2>&1) & echo \$!; }
EOS

VERSION=$(HOME="$DEST" "$BIN" --version 2>"$W/run.log") || { cat "$W/run.log" >&2; die 5 "the binary does not run"; }
{
  echo "$STAMP"
  echo "version: $VERSION"
  echo "suite: $FOUND"
  awk '{print $4"="$5}' "$W/closure"
} >"$DEST/stamp"
rm -rf "$W"
say "ready: $VERSION, $(du -sm "$DEST/root" | cut -f1) MB"
echo "$BIN"
