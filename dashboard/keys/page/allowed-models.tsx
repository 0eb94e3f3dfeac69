import { AllowedModelsSection, ModelPatterns } from '#dashboard/allowed-models/allowed-models-section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import type { ApiKeyDetails } from '#lambdas/accounts/organizations/responses.ts';

/** The models that a key may use: those of its own list that the organization allows too. */
export function KeyAllowedModels({
  apiKey: { id, name, state, replaces, models },
}: {
  apiKey: ApiKeyDetails;
}) {
  const organization = useOrganization();
  return (
    <AllowedModelsSection
      owner={{ keyId: id, name, models }}
      description={
        replaces.length > 0
          ? 'Those of the key that it has replaced: rotations share them.'
          : 'A request must fit the list of its key and that of the organization.'
      }
      allText={organization.models ? 'All that the organization allows.' : undefined}
      isActive={state === 'active'}
    >
      {organization.models && (
        <div className="border-t border-line">
          <p className="px-5 pt-4 text-[0.8125rem] text-muted">
            All keys of <bdi>{organization.name}</bdi>, so this one too:
          </p>
          <ModelPatterns models={organization.models} />
        </div>
      )}
    </AllowedModelsSection>
  );
}
