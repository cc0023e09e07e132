"""What grimp makes of every import inside a package: lines of `from<TAB>to`.

A line `<TAB>file` names a file that grimp knows: it passes over packages without `__init__.py`.

Usage: python3 truth.py ROOT PACKAGE, with grimp and ROOT on the path.
"""
import os
import sys

import grimp

root, package = sys.argv[1], sys.argv[2]


def file_of(module):
    path = module.replace(".", "/")
    for candidate in (f"{path}/__init__.py", f"{path}.py"):
        if os.path.exists(os.path.join(root, candidate)):
            return candidate
    return None


graph = grimp.build_graph(package, include_external_packages=False, cache_dir=None)
for module in sorted(graph.modules):
    print(f"\t{file_of(module)}")
for importer in sorted(graph.modules):
    for imported in sorted(graph.find_modules_directly_imported_by(importer)):
        source, target = file_of(importer), file_of(imported)
        if source and target and source != target:
            print(f"{source}\t{target}")
