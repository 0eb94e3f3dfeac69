import { useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { DialogActions } from '#dashboard/components/overlay/dialog.tsx';
import { formatDateTime } from '#dashboard/components/values/time-format.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { useTimeZone } from '#dashboard/range/zone.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { callableExample } from './example-model.ts';
import type { IssuedKey } from './issued-key.ts';
import { KeyBox } from './key-box.tsx';
import { SnippetTabs } from './snippet-tabs.tsx';
import { useModels } from './test-request/model-picker.tsx';
import { TestRequest } from './test-request/panel.tsx';

interface IssuedKeyPanelProps {
  issued: IssuedKey;
  isCopied: boolean;
  onCopied: () => void;
  onDone: () => void;
}

/** Shows a new key once, with a first request and code that uses it. */
export function IssuedKeyPanel({ issued, isCopied, onCopied, onDone }: IssuedKeyPanelProps) {
  const { key, replaced } = issued;
  const timeZone = useTimeZone();
  const organization = useOrganization();
  const models = useModels(organization.id, key);
  const [chosenModel, setChosenModel] = useState<string | null>(null);
  const callable = models.state === 'loaded' ? models.models : [];
  const model = chosenModel ?? callableExample('chat.completions', callable);

  return (
    // Also when the key is copied by other means than the buttons, alone or within code.
    <div onCopy={onCopied}>
      <div className="flex flex-col gap-6">
        <div className="flex flex-col gap-3">
          <KeyBox text={key} onCopied={onCopied} />
          <Notice tone="warning">
            <strong className="font-medium">Copy the key now and store it in a safe place.</strong> It is
            shown only this once.
            {replaced && (
              <>
                {' '}
                The old key <code className="font-mono text-[0.8125rem]">…{replaced.last_four}</code>{' '}
                {replaced.state === 'active' && replaced.ends_at
                  ? `keeps working until ${formatDateTime(new Date(replaced.ends_at), undefined, timeZone)}.`
                  : `is refused everywhere within ${organization.key_revocation_seconds} seconds.`}
              </>
            )}
          </Notice>
        </div>
        {isAllowed(organization.role, 'send_test_requests') && (
          <TestRequest apiKey={key} models={models} model={model} onModelChange={setChosenModel} />
        )}
        <SnippetTabs
          baseUrl={`${organization.api_base_url}/ai`}
          apiKey={key}
          models={models.state === 'loading' ? null : callable}
          chatModel={chosenModel}
          onCopied={onCopied}
        />
      </div>
      <DialogActions>
        <Button variant={isCopied ? 'primary' : 'secondary'} onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
