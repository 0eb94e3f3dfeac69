import { ApiError } from '#dashboard/api/client.ts';
import { Button } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { DialogActions } from '#dashboard/components/overlay/dialog.tsx';
import type { IssuedKey } from '#dashboard/issued-key/issued-key.ts';
import { useRotation } from './use-rotation.ts';

interface CreatedKeyProps {
  keyId: string;
  /** The words of the API. */
  message: string;
  onIssued: (issued: IssuedKey) => void;
  onCancel: () => void;
}

/** A key that an earlier try has created, whose response was lost: nobody has its value. A rotation makes one that is shown. */
export function CreatedKey({ keyId, message, onIssued, onCancel }: CreatedKeyProps) {
  const rotation = useRotation(onIssued);
  // The response of this rotation may be lost too.
  const newest = createdKeyId(rotation.error) ?? keyId;
  return (
    <>
      <Notice tone="danger" role="alert">
        {rotation.error?.message ?? message}
      </Notice>
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button
          variant="primary"
          autoFocus
          pending={rotation.isPending}
          onClick={() => rotation.mutateAsync({ keyId: newest, overlapSeconds: 0 })}
        >
          Rotate it
        </Button>
      </DialogActions>
    </>
  );
}

/** The key that an earlier try has created; `null` for other errors. */
export function createdKeyId(error: Error | null): string | null {
  return error instanceof ApiError ? error.createdId : null;
}
