"""kernel_images: the images of some families in one folder, as the runtime opens them."""

load(":providers.bzl", "CudaFatbinInfo")

visibility(["//tools/cuda/..."])

def _kernel_images_impl(ctx):
    folder = ctx.actions.declare_directory(ctx.label.name)
    families = {}
    files = []
    for family in ctx.attr.families:
        info = family[CudaFatbinInfo]
        if info.family in families:
            fail("%s: families: %s and %s are both called %s" % (ctx.label, families[info.family], family.label, info.family))
        families[info.family] = family.label
        files += [f for f in [info.fatbin, info.manifest, info.audit, info.proof] if f]
    args = ctx.actions.args()
    args.add_all(files)
    args.add_all([folder], expand_directories = False)
    ctx.actions.run_shell(
        command = 'cp -L -- "$@" && chmod 644 "${@: -1}"/*',
        arguments = [args],
        inputs = files,
        outputs = [folder],
        mnemonic = "KernelImages",
        progress_message = "Gathering the images of %{label}",
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles([folder]))]

kernel_images = rule(
    implementation = _kernel_images_impl,
    doc = "A folder with every family's fatbin, manifest, audit and proof: what device.WithImages takes and WW_IMAGES names.",
    attrs = {
        "families": attr.label_list(
            doc = "The families' cuda_fatbin targets.",
            mandatory = True,
            providers = [CudaFatbinInfo],
        ),
    },
)
