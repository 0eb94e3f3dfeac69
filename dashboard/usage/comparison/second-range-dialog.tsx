import { Dialog } from '#dashboard/components/overlay/dialog.tsx';
import { CustomRange } from '#dashboard/range/picker/custom-range.tsx';
import type { Range } from '#dashboard/range/range.ts';
import type { ComparisonSearch } from './choice.ts';

interface SecondRangeDialogProps {
  open: boolean;
  /** The one from which the choice begins. */
  range: Range;
  onClose: () => void;
  onChoose: (search: ComparisonSearch) => void;
}

/** The choice of another range that the usage is compared with. */
export function SecondRangeDialog({ open, range, onClose, onChoose }: SecondRangeDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title="Another range"
      description="The usage is compared with that of this range."
    >
      <CustomRange
        range={range}
        isSuggestion
        onApply={({ start, end }) => {
          onClose();
          onChoose({ compare: 'custom', compare_start: start, compare_end: end });
        }}
      />
    </Dialog>
  );
}
