import { useState } from 'react';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import { callableExample } from './example-model.ts';
import { SnippetTabs } from './snippet-tabs.tsx';
import { useModels } from './test-request/model-picker.tsx';
import { TestRequest } from './test-request/panel.tsx';

interface KeyTrialProps {
  /** The full key. */
  apiKey: string;
  /** The heading of the code. */
  snippetsTitle?: string;
  /** Sends a test request as soon as there is a model. */
  sendImmediately?: boolean;
  onCopied?: () => void;
}

/** A first request with a new key, and code that uses it, with the same model. */
export function KeyTrial({ apiKey, snippetsTitle, sendImmediately, onCopied }: KeyTrialProps) {
  const { id: organizationId, role, api_base_url: apiBaseUrl } = useOrganization();
  const models = useModels(organizationId, apiKey);
  const [chosenModel, setChosenModel] = useState<string | null>(null);
  const callable = models.state === 'loaded' ? models.models : [];
  return (
    <>
      {isAllowed(role, 'send_test_requests') && (
        <TestRequest
          apiKey={apiKey}
          models={models}
          model={chosenModel ?? callableExample('chat.completions', callable)}
          onModelChange={setChosenModel}
          sendImmediately={sendImmediately}
        />
      )}
      <SnippetTabs
        title={snippetsTitle}
        baseUrl={`${apiBaseUrl}/ai`}
        apiKey={apiKey}
        models={models.state === 'loading' ? null : callable}
        chatModel={chosenModel}
        onCopied={onCopied}
      />
    </>
  );
}
