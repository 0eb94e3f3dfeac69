import { Plus } from 'lucide-react';
import { lazy, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeySummary } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { Step } from './step.tsx';

const CreateDialog = lazy(() =>
  import('#dashboard/keys/actions/create-dialog.tsx').then((module) => ({ default: module.CreateDialog })),
);

interface KeyStepProps {
  /** Those that can be used; undefined while they load. */
  keys: readonly ApiKeySummary[] | undefined;
}

export function KeyStep({ keys }: KeyStepProps) {
  const { role } = useOrganization();
  const [isCreating, setCreating] = useState(false);
  const mayCreate = isAllowed(role, 'create_keys');
  const isDone = keys !== undefined && keys.length > 0;
  return (
    <Step number={1} title="Create a key" description={descriptionOf(keys, mayCreate)} isDone={isDone}>
      {mayCreate && (
        <>
          <Button variant={isDone ? 'secondary' : 'primary'} onClick={() => setCreating(true)}>
            <Plus aria-hidden />
            {isDone ? 'Create another key' : 'Create key'}
          </Button>
          <OnceOpened open={isCreating}>
            <CreateDialog open={isCreating} onClose={() => setCreating(false)} />
          </OnceOpened>
        </>
      )}
    </Step>
  );
}

function descriptionOf(keys: KeyStepProps['keys'], mayCreate: boolean): string {
  const [first] = keys ?? [];
  if (first !== undefined) {
    return keys?.length === 1 ? `The key “${first.name}” exists.` : `${keys?.length} keys exist.`;
  }
  return mayCreate
    ? 'Your application calls models with it. It is shown only once.'
    : 'You are a viewer. Members of this organization create keys: ask one of them, or an admin to change your role.';
}
