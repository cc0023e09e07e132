//! The list of all cases.

/// Creates a test for each case.
///
/// `$make` returns an empty store and a guard that must live as long; `$open` opens another handle of
/// the same store from a reference to the guard.
#[macro_export]
macro_rules! conformance_tests {
    ($make:path, $open:path) => {
        $crate::conformance_tests!(@one $make;
            stored_memories_read_back_unchanged, reads_keep_the_requested_order,
            updates_replace_all_fields, removed_memories_are_gone_from_the_index,
            lists_follow_the_requested_order, short_id_ranges_find_memories,
            identical_memories_are_found_by_hash, stated_relations_lead_back_to_their_memory,
            memories_are_found_by_file, statistics_count_memories, intact_stores_pass_the_check,

            dropped_transactions_roll_back, history_records_every_change,
            erased_history_has_no_fields, requests_can_be_claimed_once,
            accesses_are_counted_outside_the_history, changes_can_be_undone_and_done_again,

            filters_select_matching_memories, memories_belong_to_modules_by_label_or_file,
            work_unit_filters_include_inner_units,
            filters_combine, statistics_are_left_out_unless_they_are_asked_for,

            full_text_search_finds_matches, full_text_index_follows_changes,
            words_of_cues_find_memories, near_duplicates_are_found_by_signature,
            keys_read_memories_in_order, term_counts_are_exact, terms_are_found_by_prefix,
            terms_follow_changes, frequent_tags_are_counted, searches_rank_by_rarity_and_column,
            searches_for_common_words_may_rank_the_newest,

            new_text_is_pending_for_every_model, vectors_read_back_by_piece,
            changed_text_needs_new_vectors, vectors_page_by_generation,
            activated_models_replace_others, vectors_of_models_are_apart,
            missing_vectors_are_queued, nearest_vectors_are_near,

            sessions_and_events_are_logged_once, injections_are_filtered_by_context,
            fates_are_saved_with_their_injections, notes_are_filtered_by_file,
            co_changes_link_files,

            sessions_are_judged_when_they_are_over_and_again_when_they_go_on,
            judgements_replace_the_fates_of_their_events_alone,
            sessions_keep_the_group_with_which_they_were_created,
            counts_of_uses_are_replaced_as_a_whole,
            resumed_sessions_are_open_and_late_reports_change_nothing,
            batches_whose_events_are_known_are_skipped,

            ended_idle_and_reported_sessions_are_observed,
            observed_usage_counts_each_session_once, directions_need_enough_sessions,

            changed_memories_are_linked_again, memories_are_found_by_symbol,
            inactive_memories_have_no_visible_links,
            moved_links_replace_those_of_the_other_file,

            quotations_in_sessions_are_erased, quotations_in_observations_are_erased,
            quotations_in_the_history_are_blanked, nothing_is_erased_for_no_quotation,
            texts_of_injections_are_blanked, reasons_go_with_their_memories,
            events_of_past_and_open_sessions_are_told_apart,
            transcripts_go_with_the_last_event_of_their_session, scrubbing_keeps_what_is_left,
            readable_rows_are_not_quarantined,

            texts_of_memories_survive, long_texts_survive, details_of_any_json_survive,
            texts_of_sessions_survive_with_nul, texts_of_observations_survive_with_nul,
            requests_have_any_name, names_are_ordered_by_bytes, every_moment_survives,

            empty_stores_have_nothing, empty_arguments_find_and_change_nothing,
            limits_may_be_zero_or_huge, unchanged_memories_are_no_change,
            a_memory_is_inserted_once, counters_have_limits, keys_are_never_reused,

            equal_memories_are_ordered_by_identifier, equal_matches_are_the_newest_by_identifier,
            pages_of_memories_are_prefixes_of_the_full_list,
            pages_of_sessions_are_prefixes_of_the_full_list, vectors_page_in_whole_generations,

            rows_without_their_memory_are_skipped, a_copy_that_panics_stores_nothing,
            rows_survive_a_file);
        $crate::conformance_tests!(@two $make;
            copies_are_equal, interrupted_copies_resume, changed_rows_replace_copied_ones,
            later_changes_continue_the_numbers);
        $crate::conformance_tests!(@open $make, $open;
            only_one_transaction_writes_at_a_time, readers_see_only_committed_writes,
            transactions_of_killed_processes_roll_back, requests_are_claimed_by_one_of_many,
            writes_of_many_handles_are_all_kept, handles_see_each_others_vectors_and_links);
    };
    (@one $make:path; $($case:ident),+) => {
        $(
            #[test]
            fn $case() {
                let (mut store, _keep) = $make();
                $crate::conformance::$case(&mut store);
            }
        )+
    };
    (@two $make:path; $($case:ident),+) => {
        $(
            #[test]
            fn $case() {
                let ((mut store, _keep), (mut empty, _keep_too)) = ($make(), $make());
                $crate::conformance::$case(&mut store, &mut empty);
            }
        )+
    };
    (@open $make:path, $open:path; $($case:ident),+) => {
        $(
            #[test]
            fn $case() {
                let (mut store, keep) = $make();
                $crate::conformance::$case(&mut store, &|| Box::new($open(&keep)));
            }
        )+
    };
}
