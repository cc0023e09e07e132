//! A minimal decoder for the protocol-buffer encoding.

/// A field of a message.
pub(super) struct WireField<'a> {
    pub(super) number: u64,
    pub(super) value: WireValue<'a>,
}

/// The value of a field.
pub(super) enum WireValue<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    /// A number of fixed length. SCIP has none that we need.
    Fixed,
}

/// The fields of a message. Yields `None` and ends where the bytes are invalid.
pub(super) struct WireMessage<'a> {
    rest: &'a [u8],
}

impl<'a> WireMessage<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> WireMessage<'a> {
        WireMessage { rest: bytes }
    }

    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        let (number, rest) = varint(self.rest)?;
        self.rest = rest;
        Some(number)
    }

    fn field(&mut self) -> Option<WireField<'a>> {
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => WireValue::Number(self.number()?),
            1 => self.take(8).map(|_| WireValue::Fixed)?,
            2 => {
                let length = self.number()?;
                WireValue::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| WireValue::Fixed)?,
            _ => return None,
        };
        Some(WireField { number: tag >> 3, value })
    }
}

impl<'a> Iterator for WireMessage<'a> {
    type Item = Option<WireField<'a>>;

    fn next(&mut self) -> Option<Option<WireField<'a>>> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field)
    }
}

/// Reads a number at the start. Returns it with the rest.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0_u64;
    for (at, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((number, &bytes[at + 1..]));
        }
    }
    None
}
