//! The words with which people report, whatever they report on. They are in comments all over a
//! project, and say nothing about where.

use std::collections::HashSet;
use std::sync::LazyLock;

use tacit_core::tokenize;

/// Whether a word, without its ending, is one that any report may have.
pub(crate) fn is_report_word(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<String>> =
        LazyLock::new(|| tokenize(TEXT).iter().map(str::to_owned).collect());
    WORDS.contains(word)
}

const TEXT: &str = "\
    able access actual actually add additional afterwards again agree already also although \
    always another any anybody anyone anything anyway apparently appear appears appreciate \
    around ask attach attached available back bad basically because become before behave behaves \
    behavior behaviour being below besides best better between both bug bugs call came cannot \
    case cases cause caused causes change changed changes check clean clear clearly close closed \
    colleague come comes command complete completely confirm confused consider correct correctly \
    couple crash crashes current currently dear describe described description despite detail \
    details different directly discover discuss document documentation documented does doing \
    done down due during each earlier easily easy either else encounter encountered end enough \
    entire environment especially etc even ever every everything exact exactly example except \
    expect expected expects explain fact fail failed failing fails failure far feature feel few \
    figure final finally find fine first fix fixed fixes following follows found further general \
    generally get gets getting give given gives glad goes going good got great guess happen \
    happened happening happens happy hard haven hello help helpful hence here hey hope however \
    idea imagine immediately important incorrect incorrectly indeed info information install \
    installed instance instead interesting introduced investigate issue issues itself just keep \
    kind know known large last later latest least leave less let like likely line little long \
    longer look looked looking looks lot machine made main maintainer make makes making many may \
    maybe mean means mention mentioned might minimal moreover most much must myself near \
    necessary need needed needs never nevertheless new newer next nice none normal normally \
    nothing notice noticed now obvious obviously occur occurs off often okay old older once one \
    ones only open opened opinion order original originally other others otherwise ought out \
    output over own page part particular past perhaps person place please point possible \
    possibly post pretty previous previously probably problem problems produce produces \
    production project proper properly provide provided pull put question quite rather real \
    really reason recent recently regard regarding related release released releases remain \
    report reported reporter reporting reproduce reproduced reproducible request require result \
    results right run running runs said same saw say says search searched second see seem seems \
    seen sense several shall show showed shown shows similar simple simply since single \
    situation small smallest solution solve somebody someone something sometimes somewhat soon \
    sorry source start started step steps still stop strange stuff suddenly suggest suggestion \
    supposed sure surprising take taken takes tell test tested testing thank thanks thing things \
    think third though thought three through throw throws thus time times today together told \
    took tried tries trouble true try trying turn turns two typical under understand unexpected \
    unfortunately unless until update updated upgrade upgraded upgrading use used useful user \
    users uses using usual usually various version versions very via want wanted wants way ways \
    week weird well went whatever whenever whether whole whose wish within without wonder \
    wondering work workaround worked working works worse worth wrong year years yes yesterday \
    yet";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_words_match_with_any_ending() {
        for (word, known) in [
            ("reproducing", true),
            ("Thanks", true),
            ("upgraded", true),
            ("template", false),
            ("queries", false),
            ("socket", false),
        ] {
            let tokens = tokenize(word);
            assert_eq!(tokens.iter().all(is_report_word), known, "{word}");
        }
    }
}
