// Importing the core brings its vocabulary, and the pictures that it hands out.
@_exported public import CaptureModel
@_exported public import PhotoEncoding
