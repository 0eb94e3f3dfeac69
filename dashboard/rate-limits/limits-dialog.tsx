import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { activeKeyQuery } from '#dashboard/api/keys.ts';
import { rateLimitListQuery, reloadLists } from '#dashboard/api/organizations.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { useDraft } from '#dashboard/components/forms/drafts.ts';
import { Form } from '#dashboard/components/forms/form.tsx';
import { TextField } from '#dashboard/components/forms/text-field.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useLast } from '#dashboard/components/overlay/once-opened.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { KeySelect } from '#dashboard/key-names/key-select.tsx';
import type { KeyOption } from '#dashboard/key-names/use-key-search.ts';
import type { RateLimitsSummary } from '#lambdas/accounts/organizations/responses.ts';
import { rateLimitNames } from '#lambdas/limits/rates/rate-limits.ts';
import {
  allOf,
  checkLimit,
  type EnteredLimits,
  editableLimits,
  type LimitsSubject,
  limitsOf,
  limitsText,
  limitWords,
  noLimits,
  parseLimits,
  setLimits,
} from './limits.ts';
import { putLimits } from './put-limits.ts';

interface LimitsDialogProps {
  /** Null closes the dialog. */
  subject: LimitsSubject | null;
  onClose: () => void;
}

/** Sets the three limits of the organization, of a key or of new keys. */
export function LimitsDialog({ subject, onClose }: LimitsDialogProps) {
  const { name } = useOrganization();
  const shown = useLast(subject);
  if (shown === null) return null;
  return (
    <Dialog
      open={subject !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={dialogTitle(shown)}
      description={descriptionOf(shown, name)}
    >
      <LimitsForm subject={shown} onDone={onClose} />
    </Dialog>
  );
}

function dialogTitle(subject: LimitsSubject): string {
  const verb = limitsOf(subject) === null ? 'Set' : 'Change';
  return subject.kind === 'default' ? `${verb} default` : `${verb} rate limits`;
}

function descriptionOf(subject: LimitsSubject, organizationName: string): ReactNode {
  switch (subject.kind) {
    case 'new':
      return 'Requests beyond a limit are refused with the status 429, and told when to try again.';
    case 'owner': {
      const { api_key_id: keyId, api_key_name: keyName } = subject.owner;
      return (
        <>
          Those of{' '}
          <strong className="font-medium text-text">
            <bdi>{keyId === null ? organizationName : (keyName ?? keyId)}</bdi>
          </strong>
          {keyId === null ? ', for all its keys together.' : '.'}
        </>
      );
    }
    case 'default':
      return subject.name === 'new_keys'
        ? 'Keys that are created from now on start with these limits.'
        : 'Keys that people with the role member create start with these limits, in place of those of all new keys.';
    default:
      return subject satisfies never;
  }
}

interface LimitsFormProps {
  subject: LimitsSubject;
  onDone: () => void;
}

/** The value of the choice of the organization itself. */
const wholeOrganization = '';

export function LimitsForm({ subject, onDone }: LimitsFormProps) {
  const queryClient = useQueryClient();
  const { id: organizationId, name, key_revocation_seconds: seconds } = useOrganization();
  const before = limitsOf(subject);
  const draft = (field: string) =>
    before === null && subject.kind !== 'default' ? `rate-limits/${field}` : null;
  const all: KeyOption = { value: wholeOrganization, label: allOf(name) };
  const [chosen, setChosen] = useDraft(draft('owner'), all);
  const [entered, setEntered] = useDraft<EnteredLimits>(draft('limits'), editableLimits(before ?? noLimits));
  const chosenId = chosen.value === wholeOrganization ? null : chosen.value;

  const setting = useMutation({
    mutationFn: () => {
      const owner = { api_key_id: chosenId };
      const target = subject.kind === 'new' ? { kind: 'owner' as const, owner } : subject;
      return putLimits(organizationId, target, parseLimits(entered));
    },
    onSuccess: async () => {
      await reloadLists(queryClient, organizationId);
      notifySuccess(
        subject.kind === 'default'
          ? 'The default for new keys is changed'
          : // Requests read them together with their key.
            `The rate limits are changed, and take effect within ${seconds} seconds`,
      );
      onDone();
    },
  });

  const isEmpty = rateLimitNames.every((field) => entered[field].trim() === '');
  const [firstField] = rateLimitNames;
  return (
    <Form
      fields={['api_key_id', ...rateLimitNames]}
      error={setting.error}
      onSubmit={() => setting.mutateAsync()}
    >
      <div className="flex flex-col gap-5">
        {subject.kind === 'new' && (
          <KeySelect
            label="Applies to"
            name="api_key_id"
            first={all}
            value={chosen}
            onValueChange={setChosen}
          />
        )}
        {rateLimitNames.map((field) => (
          <TextField
            key={field}
            label={limitWords[field].title}
            name={field}
            description={field === 'tokens_per_minute' && 'Input and output together.'}
            placeholder="No limit"
            inputMode="numeric"
            autoComplete="off"
            value={entered[field]}
            onValueChange={(text) => setEntered({ ...entered, [field]: text })}
            validate={(text) =>
              isEmpty && before === null && field === firstField
                ? 'Enter at least one limit'
                : checkLimit(field, text)
            }
          />
        ))}
        {subject.kind === 'new' && <ReplacedLimits keyId={chosenId} />}
        {before !== null && isEmpty && (
          <p role="status" className="text-[0.8125rem] text-muted">
            Without any limit, {subject.kind === 'default' ? 'the default is' : 'the rate limits are'}{' '}
            removed.
          </p>
        )}
      </div>
      <FormActions onCancel={onDone} pending={setting.isPending}>
        {dialogTitle(subject)}
      </FormActions>
    </Form>
  );
}

/** The present limits of the chosen owner, all of which are replaced. */
function ReplacedLimits({ keyId }: { keyId: string | null }) {
  const present = usePresentLimits(keyId);
  if (present === null) return null;
  return (
    <p role="status" className="text-[0.8125rem] text-muted">
      Replaces the present limits: {limitsText(present)}.
    </p>
  );
}

/** A key that has replaced another has the limits of the first one. */
function usePresentLimits(keyId: string | null): RateLimitsSummary | null {
  const { id: organizationId } = useOrganization();
  const list = useInfiniteQuery(rateLimitListQuery(organizationId));
  const key = useQuery({ ...activeKeyQuery(organizationId, keyId ?? ''), enabled: keyId !== null });
  if (keyId !== null) return setLimits(key.data?.rate_limits ?? null);
  return setLimits(list.data?.pages[0]?.data.find(({ api_key_id: owner }) => owner === null) ?? null);
}
