import { useQuery } from '@tanstack/react-query';
import { modelListQuery } from '#dashboard/api/analytics.ts';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { KeyTrial } from '#dashboard/issued-key/key-trial.tsx';
import { SnippetTabs } from '#dashboard/issued-key/snippet-tabs.tsx';
import { Step } from './step.tsx';

const headers = [
  {
    name: 'gateway-user-id',
    meaning: 'Who the request is for. You see what each user costs.',
  },
  {
    name: 'gateway-session-id',
    meaning: 'A conversation or task. You see its requests in order, and what it costs as a whole.',
  },
  {
    name: 'gateway-prompt-id',
    meaning: 'The prompt template. You can compare its cost, latency and errors between models.',
  },
];

const snippetsTitle = 'Copy it in your language';

interface RequestStepProps {
  /** The key that was created on this page; null before. */
  apiKey: string | null;
  onCopied: () => void;
  isDone: boolean;
}

export function RequestStep({ apiKey, onCopied, isDone }: RequestStepProps) {
  const { id: organizationId, api_base_url: apiBaseUrl } = useOrganization();
  const models = useQuery(modelListQuery(organizationId));
  const callable = models.data?.data.filter(({ set_up: isSetUp }) => isSetUp) ?? [];
  return (
    <Step
      number={2}
      title="Send a request"
      description="Any client of OpenAI’s or Anthropic’s API works: only its base URL, key and model change."
      isDone={isDone}
    >
      <div className="flex flex-col gap-5">
        {apiKey === null ? (
          <SnippetTabs
            title={snippetsTitle}
            baseUrl={`${apiBaseUrl}/ai`}
            apiKey="<your key>"
            models={models.isPending ? null : callable}
          />
        ) : (
          // Nothing else is needed to see a first cost.
          <KeyTrial apiKey={apiKey} snippetsTitle={snippetsTitle} sendImmediately onCopied={onCopied} />
        )}
        <div>
          <h3 className="font-medium">Optional headers show where costs come from</h3>
          <dl className="mt-2 flex flex-col gap-2 sm:grid sm:grid-cols-[auto_1fr] sm:gap-x-5">
            {headers.map(({ name, meaning }) => (
              <div key={name} className="sm:contents">
                <dt>
                  <code className="font-mono text-[0.8125rem]">{name}</code>
                </dt>
                <dd className="text-muted">{meaning}</dd>
              </div>
            ))}
          </dl>
          <p className="mt-2 text-[0.8125rem] text-muted">They are not forwarded to providers.</p>
        </div>
      </div>
    </Step>
  );
}
