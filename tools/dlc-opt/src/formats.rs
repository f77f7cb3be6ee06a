//! Files that are no text: models and arrays in the formats of others, known by their first bytes.

use dlc_ir::text::foreign::MODEL_DOOR;

/// How arrays are given to a program.
const ARRAYS_DOOR: &str = "a program comes first: its inputs are read from such a file by `dlc-run PROGRAM FILE`";

/// What the first bytes of a file say that it is, and what to do with it instead. `None` for text.
pub fn recognize(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let starts = |magic: &[u8]| bytes.starts_with(magic);
    Some(match bytes {
        _ if starts(b"PK\x03\x04") => {
            ("a zip archive, as torch.save, torch.jit.save, torch.export.save and numpy.savez write", MODEL_DOOR)
        }
        _ if starts(b"GGUF") => ("a model in GGUF", MODEL_DOOR),
        _ if bytes.get(4..8) == Some(b"TFL3") => ("a TensorFlow Lite model", MODEL_DOOR),
        _ if starts(b"ML\xefR") => ("MLIR bytecode, as StableHLO is exported", MODEL_DOOR),
        _ if starts(b"BC\xc0\xde") => ("LLVM bitcode", MODEL_DOOR),
        _ if starts(b"\x7fELF") => ("machine code (ELF)", "give the text of a program"),
        _ if starts(b"\x89HDF\r\n\x1a\n") => ("an HDF5 file, as Keras writes", MODEL_DOOR),
        _ if starts(b"\x93NUMPY") => ("an array of numpy", ARRAYS_DOOR),
        [0x80, 2..=5, ..] => ("a Python pickle, as older versions of torch.save write", MODEL_DOOR),
        _ if is_safetensors(bytes) => ("weights in safetensors, without the model that uses them", ARRAYS_DOOR),
        _ if is_onnx(bytes) => ("an ONNX model", MODEL_DOOR),
        _ => return None,
    })
}

/// A length of eight bytes, and a header in JSON.
fn is_safetensors(bytes: &[u8]) -> bool {
    let length = bytes.first_chunk().map(|length| u64::from_le_bytes(*length));
    length.is_some_and(|length| length < 1 << 32) && bytes.get(8) == Some(&b'{')
}

/// A protobuf message whose first field is `ir_version`, and whose next one is another field of `ModelProto`.
fn is_onnx(bytes: &[u8]) -> bool {
    const OTHER_FIELDS: [u8; 7] = [0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42];
    matches!(bytes, [0x08, 1..=64, next, ..] if OTHER_FIELDS.contains(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(bytes: &[u8]) -> Option<&'static str> {
        recognize(bytes).map(|(name, _)| name)
    }

    #[test]
    fn formats_of_others_are_known_by_their_first_bytes() {
        let safetensors = [&8u64.to_le_bytes()[..], b"{\"a\":{}}"].concat();
        let files: [(&[u8], &str); 11] = [
            (b"\x08\x07\x12\x07pytorch\x1a\x052.1.0", "ONNX"),
            (b"\x08\x0a\x3a\x20", "ONNX"),
            (b"PK\x03\x04\x00\x00", "torch.export.save"),
            (b"GGUF\x03\x00\x00\x00", "GGUF"),
            (b"\x1c\x00\x00\x00TFL3", "TensorFlow Lite"),
            (b"ML\xefR\x0dStableHLO", "StableHLO"),
            (b"\x93NUMPY\x01\x00", "numpy"),
            (b"\x80\x02}q\x00", "pickle"),
            (b"\x7fELF\x02", "ELF"),
            (b"\x89HDF\r\n\x1a\n", "HDF5"),
            (&safetensors, "safetensors"),
        ];
        for (bytes, named) in files {
            assert!(name(bytes).is_some_and(|name| name.contains(named)), "{named}: {:?}", name(bytes));
        }
    }

    #[test]
    fn text_is_no_such_file() {
        for text in ["", "{", "module {\n}", "tiny.func @f() {}", "\u{feff}module {}", "// PK", "\t{\"graph\": []}"] {
            assert_eq!(name(text.as_bytes()), None, "{text}");
        }
        assert_eq!(name(b"\x08"), None);
    }
}
