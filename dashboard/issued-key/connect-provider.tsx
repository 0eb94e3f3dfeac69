import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { providerListQuery } from '#dashboard/api/analytics.ts';
import { LinkButton } from '#dashboard/components/button.tsx';
import { CopyField } from '#dashboard/components/copying.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';

const demoProvider = 'demo';

/** Says how a real provider is connected while there is only the demo, where somebody may miss one. */
export function ConnectProvider() {
  const { id: organizationId } = useOrganization();
  const providers = useQuery(providerListQuery(organizationId));
  const [isOpen, setOpen] = useState(false);
  const textId = useId();
  const setUp = providers.data?.data.filter(({ set_up: isSetUp }) => isSetUp) ?? [];
  if (setUp.length === 0 || setUp.some(({ name }) => name !== demoProvider)) return null;
  return (
    <div className="flex flex-col gap-2 px-1 text-[0.8125rem] text-muted">
      <p>
        Only the demo provider is set up.{' '}
        <LinkButton aria-expanded={isOpen} aria-controls={textId} onClick={() => setOpen(!isOpen)}>
          Connect a real provider
        </LinkButton>
      </p>
      <div id={textId} hidden={!isOpen} className="max-w-xl">
        <p className="mb-2">
          The person who operates the gateway stores the credential of a provider, such as OpenAI, with this
          command; for a deployed gateway with <code className="font-mono text-text">--stack NAME</code> in
          addition. Its models are listed a minute later.
        </p>
        <CopyField
          label="Command to connect a provider"
          hiddenLabel
          text="npm run admin -- provider set openai"
        />
      </div>
    </div>
  );
}
