[(source_file) (region)] @local.scope

(results (value) @local.definition)
(group (value) @local.definition . ":")
(value) @local.reference
