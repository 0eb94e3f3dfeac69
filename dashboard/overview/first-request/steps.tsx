import { useQuery } from '@tanstack/react-query';
import { Check, Plus } from 'lucide-react';
import { lazy, type ReactNode, useState } from 'react';
import { modelListQuery } from '#dashboard/api/analytics.ts';
import { Button } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Heading } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { SnippetTabs } from '#dashboard/keys/issued/snippet-tabs.tsx';
import type { ApiKeyName } from '#lambdas/accounts/organizations/responses.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';

interface StepProps {
  number: number;
  title: string;
  description: ReactNode;
  isDone: boolean;
  children?: ReactNode;
}

export function Step({ number, title, description, isDone, children }: StepProps) {
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 border-line p-5 not-first:border-t">
      <span
        className={classNames(
          'flex size-7 shrink-0 items-center justify-center rounded-full border text-[0.8125rem] font-semibold tabular-nums',
          isDone ? 'border-success-line bg-success-soft text-success' : 'border-control bg-canvas text-muted',
        )}
      >
        {isDone ? <Check aria-hidden className="size-4" /> : <span aria-hidden>{number}</span>}
      </span>
      <div className="pt-1">
        <Heading className="leading-5">
          {title}
          {isDone && <span className="sr-only"> (done)</span>}
        </Heading>
        <p className="mt-0.5 text-muted">{description}</p>
      </div>
      {children && (
        // On phones, as wide as the step.
        <div className="col-span-2 mt-4 min-w-0 sm:col-span-1 sm:col-start-2">{children}</div>
      )}
    </li>
  );
}

const CreateDialog = lazy(() =>
  import('#dashboard/keys/actions/create-dialog.tsx').then((module) => ({ default: module.CreateDialog })),
);

/** Further keys are not counted before the first request. */
export const maxCountedKeys = 100;

interface KeyStepProps {
  /** The keys that can be used, at most so many; `undefined` while they load. */
  keys: readonly ApiKeyName[] | undefined;
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
  const [first, ...others] = keys ?? [];
  if (first !== undefined) {
    if (others.length === 0) return `The key “${first.name}” exists.`;
    const count = others.length + 1;
    return `${count === maxCountedKeys ? 'At least ' : ''}${count} keys exist.`;
  }
  return mayCreate
    ? 'Your application calls models with it. It is shown only once.'
    : 'You are a viewer. Members of this organization create keys: ask one of them, or an admin to change your role.';
}

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

export function RequestStep({ isDone }: { isDone: boolean }) {
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
        <SnippetTabs
          title="Copy it in your language"
          baseUrl={`${apiBaseUrl}/ai`}
          apiKey="<your key>"
          models={models.isPending ? null : callable}
        />
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
