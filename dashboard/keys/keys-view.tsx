import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { KeyListParameters } from '#dashboard/api/keys.ts';
import { Button } from '#dashboard/components/button.tsx';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { useHasDraft } from '#dashboard/components/forms/drafts.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import type { KeyAction } from './actions/key-action.ts';
import { KeyList, NoKeys, useKeyList } from './key-list.tsx';
import { Toolbar } from './toolbar.tsx';

// A dialog is loaded as a whole, with the view of the key that it creates.
const CreateDialog = lazyComponent(() => import('./actions/create-dialog.tsx'), 'CreateDialog');
const ActionDialog = lazyComponent(() => import('./actions/action-dialog.tsx'), 'ActionDialog');

const route = getRouteApi('/shell/organizations/$organizationId/keys');

export function KeysView() {
  const organization = useOrganization();
  const parameters = route.useSearch();
  const navigate = route.useNavigate();
  const list = useKeyList(parameters);
  const [isCreating, setCreating] = useState(useHasDraft('key'));
  const [action, setAction] = useState<KeyAction | null>(null);
  const section = useRef<HTMLElement>(null);
  const change = (changed: KeyListParameters) =>
    navigate({
      search: (present) => ({ ...present, ...changed }),
      replace: true,
      resetScroll: false,
    });

  const createButton = isAllowed(organization.role, 'create_keys') ? (
    <Button variant="primary" onClick={() => setCreating(true)}>
      <Plus aria-hidden />
      Create key
    </Button>
  ) : null;

  return (
    <Page
      wide
      title="API keys"
      description="Applications call models with a key. Each shows what it spends."
      action={!list.isFirst && createButton}
    >
      <section ref={section} tabIndex={-1} aria-label="Keys">
        {list.isFirst ? (
          <NoKeys createButton={createButton} />
        ) : (
          <>
            <Toolbar parameters={parameters} onChange={change} />
            <KeyList list={list} parameters={parameters} onChange={change} onAction={setAction} />
          </>
        )}
        <Footer hasKeys={!list.isFirst} />
      </section>
      <OnceOpened open={isCreating}>
        <CreateDialog open={isCreating} onClose={() => setCreating(false)} />
      </OnceOpened>
      <OnceOpened open={action !== null}>
        <ActionDialog action={action} onClose={() => setAction(null)} focusAfter={section} />
      </OnceOpened>
    </Page>
  );
}

function Footer({ hasKeys }: { hasKeys: boolean }) {
  const { api_base_url: apiBaseUrl, key_revocation_seconds: seconds } = useOrganization();
  const baseUrl = `${apiBaseUrl}/ai`;
  return (
    <div className="mt-3 flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-1 text-[0.8125rem] text-muted">
      <p className="flex min-w-0 items-center gap-1">
        <span className="min-w-0">
          Base URL of OpenAI clients: <code className="font-mono text-xs break-all text-text">{baseUrl}</code>
        </span>
        <CopyButton label="Copy base URL" text={baseUrl} />
      </p>
      {hasKeys && <p>A revoked key is refused everywhere within {seconds} seconds.</p>}
    </div>
  );
}
