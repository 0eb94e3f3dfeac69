import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '#dashboard/api/client.ts';
import { activeKeyQuery } from '#dashboard/api/keys.ts';
import { Button } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { ChoiceChips } from '#dashboard/components/forms/chips.tsx';
import { Form } from '#dashboard/components/forms/form.tsx';
import { DialogActions, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { IssuedKey } from '#dashboard/issued-key/issued-key.ts';
import { KeyDialog } from '#dashboard/issued-key/key-dialog.tsx';
import { useTimeZone } from '#dashboard/range/zone.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { daySeconds, hourSeconds } from '#lambdas/platform/duration.ts';
import { formatExpiry } from '../expiry-presets.ts';
import { CreatedKey, createdKeyId } from './created-key.tsx';
import type { ChangeDialogProps } from './key-action.ts';
import { UseNote } from './use-note.tsx';
import { useRotation } from './use-rotation.ts';

/** How long a key works beside the one that replaces it. */
const overlaps = {
  none: { label: 'Now', seconds: 0 },
  '5-minutes': { label: 'In 5 min', seconds: hourSeconds / 12 },
  '1-hour': { label: 'In 1 hour', seconds: hourSeconds },
  '1-day': { label: 'In 1 day', seconds: daySeconds },
  '7-days': { label: 'In 7 days', seconds: 7 * daySeconds },
} as const;

type Overlap = keyof typeof overlaps;

const overlapOptions = (Object.keys(overlaps) as Overlap[]).map((value) => ({
  value,
  label: overlaps[value].label,
}));

export function RotateDialog({ apiKey, open, onClose }: ChangeDialogProps) {
  return (
    <KeyDialog
      open={open}
      onClose={onClose}
      title="Rotate key"
      description={
        <>
          Creates a new key in place of{' '}
          <strong className="font-medium text-text">
            <bdi>{apiKey.name}</bdi>
          </strong>
          , with its name, expiry, budgets, rate limits and allowed models. You choose below how long the old
          one still works.
          <span className="mt-2 block">
            <UseNote keyId={apiKey.id} />
          </span>
        </>
      }
      form={(onIssued) => <RotateForm apiKey={apiKey} onIssued={onIssued} onCancel={onClose} />}
    />
  );
}

interface RotateFormProps {
  apiKey: ApiKeySummary;
  onIssued: (issued: IssuedKey) => void;
  onCancel: () => void;
}

function RotateForm({ apiKey, onIssued, onCancel }: RotateFormProps) {
  const { id: organizationId, key_revocation_seconds: revocationSeconds } = useOrganization();
  const navigate = useNavigate();
  const [now] = useState(() => new Date());
  const timeZone = useTimeZone();
  const [overlap, setOverlap] = useState<Overlap>('1-day');
  const rotation = useRotation(onIssued);
  const { error } = rotation;
  const replacementId = useReplacement(apiKey.id, error);
  const createdId = createdKeyId(error);
  if (error !== null && createdId !== null) {
    return <CreatedKey keyId={createdId} message={error.message} onIssued={onIssued} onCancel={onCancel} />;
  }
  if (error !== null && replacementId !== null) {
    const show = () => {
      onCancel();
      return navigate({
        to: '/organizations/$organizationId/keys/$keyId',
        params: { organizationId, keyId: replacementId },
      });
    };
    return (
      <>
        <Notice tone="danger" role="alert">
          {error.message}
        </Notice>
        <DialogActions>
          <Button onClick={onCancel}>Cancel</Button>
          <Button variant="primary" autoFocus onClick={show}>
            Show the replacement
          </Button>
        </DialogActions>
      </>
    );
  }
  const overlapSeconds = overlaps[overlap].seconds;
  return (
    <Form
      fields={[]}
      error={error}
      onSubmit={() => rotation.mutateAsync({ keyId: apiKey.id, overlapSeconds })}
    >
      <ChoiceChips
        label="The old key ends"
        options={overlapOptions}
        value={overlap}
        onValueChange={setOverlap}
        columns="grid-cols-2 sm:grid-cols-5"
      >
        <p role="status" className="text-[0.8125rem] text-muted">
          {overlapSeconds === 0
            ? `It is refused everywhere within ${revocationSeconds} seconds.`
            : `It works until ${formatExpiry(overlapEnd(overlap, apiKey.expires_at, now), undefined, timeZone)}.`}{' '}
          The new key is shown once.
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
