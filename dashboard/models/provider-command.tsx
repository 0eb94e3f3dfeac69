import { useQuery } from '@tanstack/react-query';
import { providerListQuery } from '#dashboard/api/analytics.ts';
import { CopyField } from '#dashboard/components/copying.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';

export function providerCommand(provider: string): string {
  return `npm run admin -- provider set ${provider}`;
}

/** Tells how the operator sets up a provider. */
export function ProviderSetUp({ provider }: { provider: string }) {
  const { id: organizationId } = useOrganization();
  const providers = useQuery(providerListQuery(organizationId));
  const summary = providers.data?.data.find(({ name }) => name === provider);
  if (summary?.has_credential) {
    return (
      <p>
        {provider} has no address, so requests to it are refused. The operator sets its{' '}
        <code className="font-mono text-[0.8125rem]">baseUrl</code> in the settings of the gateway.
      </p>
    );
  }
  return (
    <div className="flex max-w-xl flex-col gap-2">
      <p>
        {provider} has no credential, so requests to it are refused. The operator of the gateway stores one:
      </p>
      <CopyField label={`Command to set up ${provider}`} hiddenLabel text={providerCommand(provider)} />
    </div>
  );
}
