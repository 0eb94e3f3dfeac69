import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { post } from '#dashboard/api/client.ts';
import { activeKeyQuery } from '#dashboard/api/keys.ts';
import { organizationPath, reloadLists } from '#dashboard/api/organizations.ts';
import { notifySuccess } from '#dashboard/components/feedback/toast.tsx';
import { useDraft } from '#dashboard/components/forms/drafts.ts';
import { Form } from '#dashboard/components/forms/form.tsx';
import { useIdempotencyKey } from '#dashboard/components/forms/idempotency.ts';
import { type Limit, LimitFields, normalizeAmount } from '#dashboard/components/forms/limit-fields.tsx';
import { SwitchField } from '#dashboard/components/forms/switch-field.tsx';
import { Dialog, FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useLast } from '#dashboard/components/overlay/once-opened.tsx';
import { ownerName, periodAdjective } from '#dashboard/components/spending-bar.tsx';
import { editableNumber } from '#dashboard/components/values/parse-number.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { KeySelect } from '#dashboard/key-names/key-select.tsx';
import type { KeyOption } from '#dashboard/key-names/use-key-search.ts';
import type { BudgetSummary } from '#lambdas/accounts/organizations/responses.ts';

interface BudgetDialogProps {
  /** Null closes the dialog. */
  editing: BudgetSummary | 'new' | null;
  onClose: () => void;
  /** Has the organization's own budgets, which a new one may replace. */
  budgets: readonly BudgetSummary[];
  /** The key that a new budget is of; by default it can be chosen. */
  owner?: KeyOption;
}

export function BudgetDialog({ editing, onClose, budgets, owner }: BudgetDialogProps) {
  const { name } = useOrganization();
  const shown = useLast(editing);
  const budget = shown === 'new' ? null : shown;
  return (
    <Dialog
      open={editing !== null}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={budget ? 'Change budget' : 'Set budget'}
      description={
        budget
          ? `The ${periodAdjective(budget)} budget of ${ownerName(budget, name)}.`
          : `A limit${owner ? ` of ${owner.label}` : ''} for each UTC day or month. It takes effect within 30 seconds.`
      }
    >
      <BudgetForm budget={budget} budgets={budgets} fixedOwner={owner} onDone={onClose} />
    </Dialog>
  );
}

interface BudgetFormProps {
  budget: BudgetSummary | null;
  budgets: readonly BudgetSummary[];
  fixedOwner: KeyOption | undefined;
  onDone: () => void;
}

/** The value of the choice of the organization itself. */
const wholeOrganization = '';

function BudgetForm({ budget, budgets, fixedOwner, onDone }: BudgetFormProps) {
  const queryClient = useQueryClient();
  const { id: organizationId, name } = useOrganization();
  const all: KeyOption = { value: wholeOrganization, label: `All of ${name}` };
  const draft = (field: string) => (budget === null ? `budget/${field}` : null);
  const [chosenOwner, setOwner] = useDraft(draft('owner'), all);
  const owner = fixedOwner ?? chosenOwner;
  const [limit, setLimit] = useDraft<Limit>(draft('limit'), {
    amount: editableNumber(budget?.amount_usd ?? ''),
    period: budget?.period ?? 'month',
    hard: budget?.hard ?? true,
  });
  const [allowUnpriced, setAllowUnpriced] = useDraft(
    draft('allow-unpriced'),
    budget?.allow_unpriced ?? false,
  );
  const chosenId = owner.value === wholeOrganization ? null : owner.value;
  const apiKeyId = budget ? budget.api_key_id : chosenId;

  const idempotency = useIdempotencyKey();
  const setting = useMutation({
    mutationFn: () => {
      const body = {
        api_key_id: apiKeyId,
        period: limit.period,
        amount_usd: normalizeAmount(limit.amount),
        hard: limit.hard,
        allow_unpriced: limit.hard && allowUnpriced,
      };
      return idempotency.send((idempotencyKey) =>
        post(organizationPath(organizationId, '/budgets'), body, { idempotencyKey }),
      );
    },
    onSuccess: async () => {
      await reloadLists(queryClient, organizationId);
      notifySuccess('The budget is set, and takes effect within 30 seconds');
      onDone();
    },
  });

  const chosenKey = useQuery({
    ...activeKeyQuery(organizationId, chosenId ?? ''),
    enabled: chosenId !== null,
  });
  // A key that has replaced another has the budgets of the first one.
  const present =
    chosenId === null ? budgets.filter(({ api_key_id }) => api_key_id === null) : chosenKey.data?.budgets;
  const replaced = budget === null && present?.find(({ period }) => period === limit.period);

  return (
    <Form fields={['api_key_id', 'amount_usd']} error={setting.error} onSubmit={() => setting.mutateAsync()}>
      <div className="flex flex-col gap-5">
        {budget === null && fixedOwner === undefined && (
          <KeySelect
            label="Applies to"
            name="api_key_id"
            first={all}
            value={owner}
            onValueChange={setOwner}
          />
        )}
        <LimitFields value={limit} onValueChange={setLimit} fixedPeriod={budget !== null} />
        {limit.hard && (
          <SwitchField
            label="Allow models without a price"
            description="Their requests count as $0.00. When off, they are refused."
            checked={allowUnpriced}
            onCheckedChange={setAllowUnpriced}
          />
        )}
        {replaced && (
          <p role="status" className="text-[0.8125rem] text-muted">
            Replaces the present budget of {formatExactUsd(replaced.amount_usd)} per {replaced.period}.
          </p>
        )}
      </div>
      <FormActions onCancel={onDone} pending={setting.isPending}>
        {budget ? 'Change budget' : 'Set budget'}
      </FormActions>
    </Form>
  );
}
