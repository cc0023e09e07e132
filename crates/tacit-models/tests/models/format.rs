//! The weights file and its vocabulary, on small and damaged examples.

use tacit_models::bundled::format::{self, FormatError, Sections};
use tacit_models::bundled::vocab::{self, PiecePosition, PrefixHash, Vocab};

/// Copies bytes to an address where typed views may start, and returns the offset.
fn aligned(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut copy = vec![0; bytes.len() + 64];
    let start = copy.as_ptr().align_offset(64);
    copy[start..][..bytes.len()].copy_from_slice(bytes);
    (copy, start)
}

fn hash(piece: &str, position: PiecePosition) -> PrefixHash {
    piece.bytes().fold(PrefixHash::new(position), PrefixHash::with)
}

#[test]
fn sections_are_read_as_written() {
    let floats: Vec<u8> = [1.5_f32, -2.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    let (file, start) = aligned(&format::write(&[&floats[..], &[255, 1, 2], &[]]));
    let mut sections = Sections::open(&file[start..]).expect("a weights file");
    assert_eq!(sections.f32s(2), Ok(&[1.5, -2.0][..]));
    assert_eq!(sections.i8s(3), Ok(&[-1, 1, 2][..]));
    assert_eq!(sections.bytes(), Ok(&[][..]));
    assert_eq!(sections.bytes(), Err(FormatError::Section(3)));
}

#[test]
fn damaged_files_are_rejected() {
    let file = format::write(&[[7_u8; 100]]);
    assert_eq!(Sections::open(b"").err(), Some(FormatError::Header));
    assert_eq!(Sections::open(&file[1..]).err(), Some(FormatError::Header));
    let mut other_version = file.clone();
    other_version[8] += 1;
    assert_eq!(Sections::open(&other_version).err(), Some(FormatError::Header));
    for cut in [file.len() - 1, 70, 20] {
        let mut sections = Sections::open(&file[..cut]).expect("the header is whole");
        assert_eq!(sections.bytes(), Err(FormatError::Section(0)), "cut to {cut}");
    }
    let mut far = file.clone();
    far[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    let mut sections = Sections::open(&far).expect("the header is whole");
    assert_eq!(sections.bytes(), Err(FormatError::Section(0)));
    let mut sections = Sections::open(&file).expect("a weights file");
    assert_eq!(sections.exact(99), Err(FormatError::Section(0)));
}

#[test]
fn pieces_at_the_start_and_inside_of_words_are_distinct() {
    let tokens = ["[PAD]", "ing", "##ing", "##", "数", "in"];
    let (file, start) = aligned(&format::write(&vocab::sections(&tokens)));
    let sections = &mut Sections::open(&file[start..]).expect("a weights file");
    let vocab = Vocab::open(sections).expect("a vocabulary");
    assert_eq!((vocab.len(), vocab.longest()), (6, 5));
    for (piece, position, id) in [
        ("ing", PiecePosition::Start, Some(1)),
        ("ing", PiecePosition::Inside, Some(2)),
        ("##", PiecePosition::Start, Some(3)),
        ("数", PiecePosition::Start, Some(4)),
        ("in", PiecePosition::Start, Some(5)),
        ("in", PiecePosition::Inside, None),
        ("", PiecePosition::Start, None),
    ] {
        let found = vocab.find(piece.as_bytes(), position, hash(piece, position));
        assert_eq!(found, id, "{piece:?} {position:?}");
    }
    assert_eq!(vocab.token(2), Some((&b"ing"[..], PiecePosition::Inside)));
    assert_eq!(vocab.token(6), None);
}
