import { Send } from 'lucide-react';
import { Button } from '#dashboard/components/button.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { modelsFor } from '../issued/example-model.ts';
import { EntryFacts } from './entry-facts.tsx';
import { ModelPicker } from './model-picker.tsx';
import type { Models } from './use-models.ts';
import { type TestRequestState, useTestRequest } from './use-test-request.ts';

interface TestRequestProps {
  apiKey: string;
  models: Models;
  model: string | null;
  onModelChange: (model: string) => void;
}

/** A first request with a new key: its model, the streamed response, and its log entry. */
export function TestRequest({ apiKey, models, model, onModelChange }: TestRequestProps) {
  const { id: organizationId } = useOrganization();
  const { state, send } = useTestRequest(organizationId, apiKey);
  const isPending = ['sending', 'thinking', 'streaming'].includes(state.phase);

  if (models.state === 'failed') return <ModelsFailed error={models.error} onRetry={models.retry} />;
  const chatModels = models.state === 'loaded' ? modelsFor('chat.completions', models.models) : [];
  if (models.state === 'loaded' && chatModels.length === 0) return <NoModels />;
  return (
    <section aria-labelledby="test-request-title" className="flex flex-col gap-2">
      <h3 id="test-request-title" className="font-medium">
        Try it with a model
      </h3>
      <div className="flex flex-col gap-2 sm:flex-row">
        {models.state === 'loaded' ? (
          <ModelPicker models={chatModels} value={model} onValueChange={onModelChange} />
        ) : (
          <div aria-busy="true" className="sm:flex-1">
            <Skeleton className="h-9 w-full" />
            <span className="sr-only">Loading models…</span>
          </div>
        )}
        <Button pending={isPending} disabled={model === null} onClick={() => model !== null && send(model)}>
          <Send aria-hidden />
          Send a test request
        </Button>
      </div>
      <div className="overflow-hidden rounded-lg border border-line bg-canvas">
        <ResponseText state={state} />
        <EntryFacts entry={state.entry} />
      </div>
    </section>
  );
}

function ResponseText({ state }: { state: TestRequestState }) {
  const { phase, text, error } = state;
  return (
    <section
      aria-label="Response"
      aria-busy={phase === 'sending' || phase === 'thinking' || phase === 'streaming'}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="h-24 overflow-y-auto px-4 py-3 focus-visible:-outline-offset-2"
    >
      {phase === 'idle' && <p className="text-muted">The response appears here as it arrives.</p>}
      {phase === 'sending' && <p className="animate-pulse text-muted">Waiting for the model…</p>}
      {phase === 'thinking' && <p className="animate-pulse text-muted">The model is thinking…</p>}
      {text !== '' && <p className="break-words whitespace-pre-wrap">{text}</p>}
      {phase === 'finished' && text === '' && <p className="text-muted">The response has no text.</p>}
      {error && (
        <div role="alert" className="mt-1 text-danger first:mt-0">
          {error.status !== null && (
            <p className="font-medium">The request failed with status {error.status}</p>
          )}
          <p className="break-words">{error.message}</p>
        </div>
      )}
      <span role="status" className="sr-only">
        {phase === 'finished' && 'The response is complete'}
      </span>
    </section>
  );
}

function NoModels() {
  return (
    <Notice tone="neutral" title="No provider with a chat model is configured yet">
      So there is no model for a test request. The operator of this gateway sets a provider’s credential with{' '}
      <code className="font-mono text-[0.8125rem] text-text">npm run admin -- provider set NAME</code>.
    </Notice>
  );
}

function ModelsFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <Notice
      tone="danger"
      role="alert"
      title="The models could not be loaded"
      action={
        <Button size="small" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      {error.message}
    </Notice>
  );
}
