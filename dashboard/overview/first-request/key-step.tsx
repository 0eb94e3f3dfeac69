import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus, Send } from 'lucide-react';
import { useState } from 'react';
import { post } from '#dashboard/api/client.ts';
import { organizationPath } from '#dashboard/api/organizations.ts';
import { Button } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { useIdempotencyKey } from '#dashboard/components/forms/idempotency.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { IssuedKey } from '#dashboard/issued-key/issued-key.ts';
import { KeyBox } from '#dashboard/issued-key/key-box.tsx';
import { applyKeys } from '#dashboard/keys/apply-changes.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { Step } from './step.tsx';

const CreateDialog = lazyComponent(() => import('#dashboard/keys/actions/create-dialog.tsx'), 'CreateDialog');

interface KeyStepProps {
  /** The name of a key that can be used; null without one, and while it loads. */
  existingName: string | null;
  /** The key that was created in this step; null before. */
  issued: IssuedKey | null;
  onIssued: (issued: IssuedKey) => void;
  onCopied: () => void;
}

/** Done when somebody here has seen a key: one that a command has made was shown in its terminal only. */
export function KeyStep({ existingName, issued, onIssued, onCopied }: KeyStepProps) {
  const { role, first_key_seen: isSeen } = useOrganization();
  const mayCreate = isAllowed(role, 'create_keys');
  const isDone = isSeen || issued !== null;
  return (
    <Step
      number={1}
      title="Create a key"
      description={descriptionOf(existingName, { mayCreate, isDone })}
      isDone={isDone}
    >
      {issued ? (
        // Also when the key is copied by other means than the button.
        <div onCopy={onCopied}>
          <KeyBox text={issued.key} onCopied={onCopied} />
        </div>
      ) : (
        mayCreate && <CreateKey isFirst={!isDone} onIssued={onIssued} />
      )}
    </Step>
  );
}

function descriptionOf(
  existingName: string | null,
  { mayCreate, isDone }: { mayCreate: boolean; isDone: boolean },
): string {
  if (!mayCreate) {
    return 'You are a viewer. Members of this organization create keys: ask one of them, or an admin to change your role.';
  }
  if (isDone) return 'Your application calls models with it.';
  const intent = 'Your application calls models with it. It is shown only once.';
  if (existingName === null) return intent;
  return `${intent} The key “${existingName}” was shown where it was created, in a terminal: use it, or create your own.`;
}

interface CreateKeyProps {
  isFirst: boolean;
  onIssued: (issued: IssuedKey) => void;
}

const firstKeyName = 'First key';

function CreateKey({ isFirst, onIssued }: CreateKeyProps) {
  const queryClient = useQueryClient();
  const { id: organizationId } = useOrganization();
  const idempotency = useIdempotencyKey();
  const [isCreating, setCreating] = useState(false);
  const creation = useMutation({
    // Returns nothing, since the mutation's cache would keep the key.
    mutationFn: async () => {
      const body = { name: firstKeyName, expires_at: null, budget: null };
      const { api_key: apiKey, key } = await idempotency.send((idempotencyKey) =>
        post(organizationPath(organizationId, '/keys'), body, { idempotencyKey }),
      );
      onIssued({ apiKey, key });
      applyKeys(queryClient, organizationId, apiKey);
    },
  });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button
          variant={isFirst ? 'primary' : 'secondary'}
          pending={creation.isPending}
          // Enter goes on.
          autoFocus={isFirst}
          onClick={() => creation.mutateAsync()}
        >
          <Send aria-hidden />
          Create a key and send a test request
        </Button>
        <Button onClick={() => setCreating(true)}>
          <Plus aria-hidden />
          Create key
        </Button>
      </div>
      {creation.error && (
        <Notice tone="danger" role="alert">
          {creation.error.message}
        </Notice>
      )}
      <OnceOpened open={isCreating}>
        <CreateDialog open={isCreating} onClose={() => setCreating(false)} />
      </OnceOpened>
    </div>
  );
}
