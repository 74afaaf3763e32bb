"""Programs, one file a library: every public function takes the module `np`.

A file may name the package whose version is shown as `PACKAGE`, where it is not the file's name.
A program that fails under NumPy is an error of the program; one that is meant to fail returns what
`survey.inputs.raised` gives.
"""
