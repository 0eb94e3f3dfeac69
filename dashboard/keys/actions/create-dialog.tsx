import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ModelsField } from '#dashboard/allowed-models/models-field.tsx';
import { type EnteredModels, editableModels, modelsOf } from '#dashboard/allowed-models/patterns.ts';
import { post } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/organizations.ts';
import { useDraft } from '#dashboard/components/forms/drafts.ts';
import { Form } from '#dashboard/components/forms/form.tsx';
import { useIdempotencyKey } from '#dashboard/components/forms/idempotency.ts';
import { type Limit, LimitFields, normalizeAmount } from '#dashboard/components/forms/limit-fields.tsx';
import { NameField } from '#dashboard/components/forms/name-form.tsx';
import { SwitchField } from '#dashboard/components/forms/switch-field.tsx';
import { FormActions } from '#dashboard/components/overlay/dialog.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { IssuedKey } from '#dashboard/issued-key/issued-key.ts';
import { KeyDialog } from '#dashboard/issued-key/key-dialog.tsx';
import { DefaultLimitsNote } from '#dashboard/rate-limits/default-limits.tsx';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { applyKeys } from '../apply-changes.ts';
import { ExpiryField, useExpiry } from '../expiry-field.tsx';
import { CreatedKey, createdKeyId } from './created-key.tsx';

interface CreateDialogProps {
  open: boolean;
  onClose: () => void;
}

export function CreateDialog({ open, onClose }: CreateDialogProps) {
  return (
    <KeyDialog
      open={open}
      onClose={onClose}
      title="Create key"
      description="An application calls models with it, through this gateway."
      form={(onIssued) => <CreateForm onIssued={onIssued} onCancel={onClose} />}
    />
  );
}

interface CreateFormProps {
  onIssued: (issued: IssuedKey) => void;
  onCancel: () => void;
}

function CreateForm({ onIssued, onCancel }: CreateFormProps) {
  const queryClient = useQueryClient();
  const { id: organizationId, role } = useOrganization();
  const [name, setName] = useDraft('key/name', '');
  const expiry = useExpiry({ choice: 'never', day: '' }, 'key/expiry');
  const [hasBudget, setHasBudget] = useDraft('key/has-budget', false);
  const idempotency = useIdempotencyKey();
  const [limit, setLimit] = useDraft<Limit>('key/limit', { amount: '', period: 'month', hard: true });
  const [models, setModels] = useDraft<EnteredModels>('key/models', editableModels(null));

  const creation = useMutation({
    // Returns nothing, since the mutation's cache would keep the key.
    mutationFn: async () => {
      const { amount, period, hard } = limit;
      const budget = hasBudget ? { amount_usd: normalizeAmount(amount), period, hard } : null;
      const allowed = modelsOf(models);
      const body = {
        name: name.trim(),
        expires_at: expiry.expiresAt,
        budget,
        ...(allowed && { models: allowed }),
      };
      const { api_key: apiKey, key } = await idempotency.send((idempotencyKey) =>
        post(organizationPath(organizationId, '/keys'), body, { idempotencyKey }),
      );
      onIssued({ apiKey, key });
      applyKeys(queryClient, organizationId, apiKey);
    },
  });

  const createdId = createdKeyId(creation.error);
  if (creation.error !== null && createdId !== null) {
    return (
      <CreatedKey
        keyId={createdId}
        message={creation.error.message}
        onIssued={onIssued}
        onCancel={onCancel}
      />
    );
  }
  return (
    <Form
      fields={['name', ...expiry.fieldNames, 'amount_usd', 'models']}
      error={creation.error}
      onSubmit={() => creation.mutateAsync()}
    >
      <div className="flex flex-col gap-5">
        <NameField placeholder="Such as “production”" of="key" value={name} onValueChange={setName} />
        <ExpiryField {...expiry.field} />
        <DefaultLimitsNote />
        {isAllowed(role, 'manage_budgets') && (
          <>
            <SwitchField
              label="Budget"
              description="Limits what the key may spend. You can also set it later."
              checked={hasBudget}
              onCheckedChange={setHasBudget}
            />
            {hasBudget && (
              <div className="flex flex-col gap-4 rounded-lg border border-line bg-canvas p-4">
                <LimitFields value={limit} onValueChange={setLimit} />
              </div>
            )}
          </>
        )}
        {isAllowed(role, 'manage_routing') && <ModelsField value={models} onValueChange={setModels} />}
      </div>
      <FormActions onCancel={onCancel} pending={creation.isPending}>
        Create key
      </FormActions>
    </Form>
  );
}
