import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { logsQuery, providerListQuery } from '#dashboard/api/analytics.ts';
import { keySearchQuery } from '#dashboard/api/keys.ts';
import { CopyButton } from '#dashboard/components/copying.tsx';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import { Page } from '#dashboard/components/page.tsx';
import { Card } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { KeyCloseGuard, useCloseGuard } from '#dashboard/issued-key/close-guard.tsx';
import type { IssuedKey } from '#dashboard/issued-key/issued-key.ts';
import type { ListedLogEntry } from '#lambdas/accounts/analytics/responses.ts';
import { firstRequestPollMs } from '../use-has-requests.ts';
import { ArrivalStep } from './arrival-step.tsx';
import { KeyStep } from './key-step.tsx';
import { RequestStep } from './request-step.tsx';

/** Leads to the first request of an organization, and shows it when it arrives. */
export function FirstRequest({ onOpenOverview }: { onOpenOverview: () => void }) {
  const organization = useOrganization();
  const providers = useQuery(providerListQuery(organization.id));
  // The newest of the active keys, if there are any.
  const keys = useQuery(keySearchQuery(organization.id, '', 1));
  const entry = useFirstEntry();
  // Not in the query cache, which would keep the key.
  const [issued, setIssued] = useState<IssuedKey | null>(null);
  const [isCopied, setCopied] = useState(false);
  const noteCopy = () => setCopied(true);
  // The key is lost with the view.
  const guard = useCloseGuard({ isActive: issued !== null && !isCopied, onClose: onOpenOverview });
  const steps = useRef<HTMLOListElement>(null);
  const activeKey = keys.data?.data.find(({ state }) => state === 'active');
  const isProviderMissing = providers.data?.data.every(({ set_up: isSetUp }) => !isSetUp) ?? false;
  return (
    <Page title="Overview" description={`Three steps to the first request of ${organization.name}.`}>
      <div className="flex flex-col gap-4">
        {isProviderMissing && <NoProvider />}
        <Card>
          <ol ref={steps} tabIndex={-1} className="outline-none">
            <KeyStep
              existingName={activeKey?.name ?? null}
              issued={issued}
              onIssued={setIssued}
              onCopied={() => setCopied(true)}
            />
            <RequestStep apiKey={issued?.key ?? null} onCopied={noteCopy} isDone={entry !== null} />
            <ArrivalStep entry={entry} onOpenOverview={() => guard.requestClose()} />
          </ol>
        </Card>
        <KeyCloseGuard guard={guard} apiKey={issued?.key ?? ''} focusAfter={steps} />
      </div>
    </Page>
  );
}

const providerCommand = 'npm run admin -- provider set openai';

function NoProvider() {
  return (
    <Notice tone="warning" title="No provider is set up yet">
      <p>
        So requests cannot be answered. The operator of this gateway stores the credential of a provider, such
        as OpenAI, with this command; for a deployed gateway with <Code>--stack NAME</Code> in addition:
      </p>
      <p className="mt-1 flex items-center gap-1">
        <Code>{providerCommand}</Code>
        <CopyButton label="Copy command" text={providerCommand} />
      </p>
    </Notice>
  );
}

function Code({ children }: { children: string }) {
  return <code className="font-mono text-[0.8125rem] text-text">{children}</code>;
}

/** Returns the newest entry as soon as there is one. Waits for it only while the page is visible. */
function useFirstEntry(): ListedLogEntry | null {
  const { data } = useInfiniteQuery({
    ...logsQuery(useOrganization().id, { limit: 1 }),
    refetchInterval: ({ state }) => (firstEntry(state.data) === null ? firstRequestPollMs : false),
  });
  return firstEntry(data);
}

function firstEntry(data: { pages: { data: ListedLogEntry[] }[] } | undefined): ListedLogEntry | null {
  return data?.pages[0]?.data[0] ?? null;
}
