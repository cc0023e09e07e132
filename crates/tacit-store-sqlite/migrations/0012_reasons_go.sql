-- A purge takes the reasons with it that were given for changes of the memory alone: they tell of it.
-- Nothing else of the history may be changed.
DROP TRIGGER changes_stay;
CREATE TRIGGER changes_stay BEFORE UPDATE ON changes
WHEN NEW.reason IS NOT NULL
    OR NEW.id IS NOT OLD.id OR NEW.at IS NOT OLD.at OR NEW.kind IS NOT OLD.kind
    OR NEW.actor IS NOT OLD.actor OR NEW.reverts IS NOT OLD.reverts
BEGIN
    SELECT RAISE(ABORT, 'the history is append-only');
END;
