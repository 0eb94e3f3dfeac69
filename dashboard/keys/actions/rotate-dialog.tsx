import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef, useState } from 'react';
import { ApiError, post } from '#dashboard/api/client.ts';
import { activeKeyQuery, keyPath } from '#dashboard/api/keys.ts';
import { Button } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { ChoiceChips } from '#dashboard/components/forms/chips.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { useIdempotencyKey } from '#dashboard/components/forms/idempotency.ts';
import { DialogActions, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { hourSeconds } from '#lambdas/platform/duration.ts';
import { applyKeys } from '../apply-changes.ts';
import { formatExpiry } from '../expiry-presets.ts';
import type { IssuedKey } from '../issued/issued-key.ts';
import { KeyDialog } from '../issued/key-dialog.tsx';
import type { ChangeDialogProps } from './key-action.ts';

/** How long a key works beside the one that replaces it. */
const overlaps = {
  '1-hour': { label: '1 hour', seconds: hourSeconds },
  '24-hours': { label: '24 hours', seconds: 24 * hourSeconds },
  '7-days': { label: '7 days', seconds: 7 * 24 * hourSeconds },
  '30-days': { label: '30 days', seconds: 30 * 24 * hourSeconds },
} as const;

type Overlap = keyof typeof overlaps;

const overlapOptions = (Object.keys(overlaps) as Overlap[]).map((value) => ({
  value,
  label: overlaps[value].label,
}));

interface RotateDialogProps extends ChangeDialogProps {
  /** Shows a key in the list. */
  onFind: (keyId: string) => void;
  /** Takes the focus then, since the row of the old key is gone. */
  focusAfter: RefObject<HTMLElement | null>;
}

export function RotateDialog({ apiKey, open, onClose, onFind, focusAfter }: RotateDialogProps) {
  const isFinding = useRef(false);
  const find = (keyId: string) => {
    isFinding.current = true;
    onClose();
    onFind(keyId);
  };
  return (
    <KeyDialog
      open={open}
      onClose={onClose}
      finalFocus={() => {
        const target = isFinding.current ? focusAfter.current : true;
        isFinding.current = false;
        return target;
      }}
      title="Rotate key"
      description={
        <>
          Creates a new key in place of <strong className="font-medium text-text">{apiKey.name}</strong>, with
          its name, expiry and budgets. Both work until the old one ends, so that you can replace it without a
          pause.
        </>
      }
      form={(onIssued) => <RotateForm apiKey={apiKey} onIssued={onIssued} onCancel={onClose} onFind={find} />}
    />
  );
}

interface RotateFormProps {
  apiKey: ApiKeySummary;
  onIssued: (issued: IssuedKey) => void;
  onCancel: () => void;
  onFind: (keyId: string) => void;
}

function RotateForm({ apiKey, onIssued, onCancel, onFind }: RotateFormProps) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  const [now] = useState(() => new Date());
  const [overlap, setOverlap] = useState<Overlap>('24-hours');
  const idempotency = useIdempotencyKey();
  const rotation = useMutation({
    // Returns nothing, since the mutation's cache would keep the key.
    mutationFn: async () => {
      const body = { overlap_seconds: overlaps[overlap].seconds };
      const rotated = await idempotency.send((idempotencyKey) =>
        post(keyPath(organizationId, apiKey.id, '/rotation'), body, { idempotencyKey }),
      );
      onIssued({ apiKey: rotated.api_key, key: rotated.key, replaced: rotated.replaced });
      applyKeys(queryClient, organizationId, rotated.api_key, rotated.replaced);
    },
  });
  const replacementId = useReplacement(apiKey.id, rotation.error);
  if (rotation.error !== null && replacementId !== null) {
    return (
      <>
        <Notice tone="danger" role="alert">
          {rotation.error.message}
        </Notice>
        <DialogActions>
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant="primary" autoFocus onClick={() => onFind(replacementId)}>
            Show the replacement
          </Button>
        </DialogActions>
      </>
    );
  }
  return (
    <Form fields={[]} error={rotation.error} onSubmit={() => rotation.mutateAsync()}>
      <ChoiceChips
        label="The old key keeps working for"
        options={overlapOptions}
        value={overlap}
        onValueChange={setOverlap}
        columns="grid-cols-2 sm:grid-cols-4"
      >
        <p role="status" className="text-[0.8125rem] text-muted">
          Until {formatExpiry(overlapEnd(overlap, apiKey.expires_at, now))}. The new key is shown once.
        </p>
      </ChoiceChips>
      <FormActions onCancel={onCancel} pending={rotation.isPending}>
        Rotate key
      </FormActions>
    </Form>
  );
}

/**
 * Returns the active key that has replaced this one, if a rotation is refused for that reason; `null` before it is known. It
 * may be newer than the list: nobody has seen the response of a rotation that was lost.
 */
function useReplacement(keyId: string, error: Error | null): string | null {
  const { id: organizationId } = useOrganization();
  const isConflict = error instanceof ApiError && error.code === 'conflict';
  const { data, isFetching } = useQuery({
    ...activeKeyQuery(organizationId, keyId),
    enabled: isConflict,
    staleTime: 0,
  });
  return isConflict && !isFetching ? (data?.replacement_id ?? null) : null;
}

/** Returns when the old key ends: not later than it would have expired anyway. */
export function overlapEnd(overlap: Overlap, expiresAt: string | null, now: Date): Date {
  const endMs = now.getTime() + overlaps[overlap].seconds * 1000;
  return new Date(expiresAt === null ? endMs : Math.min(endMs, Date.parse(expiresAt)));
}
