"""The two builds of the emulator, by the suffix of their targets."""

SANITIZERS = {
    "": ["-fsanitize=address,undefined"],
    "_tsan": ["-fsanitize=thread"],
}
