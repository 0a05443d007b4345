#!/bin/bash
# Tries many virtual USB cameras through the kernel's uvcvideo: ./cameras.sh FOLDER-OF-PROGRAMS FIRST-LAST.
set -u
export PATH=$1:$PATH HOME=/tmp/home
mkdir -p $HOME
modprobe vhci-hcd
modprobe uvcvideo
VOLLEY_UVC=$1/volley-uvc-camera VOLLEY_UVC_CAMERAS=$2 "$1"/volleyPackageTests.xctest --testing-library swift-testing \
    --filter 'VirtualUVCCameraTests.CameraMatrixTests' >/share/cameras.log 2>&1
status=$?
rm -rf /share/bin
exit $status
