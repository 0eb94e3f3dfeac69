import { type ReactNode, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { useHasDraft } from '#dashboard/components/forms/drafts.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { Section } from '#dashboard/components/section.tsx';
import { useOrganization } from '#dashboard/current-organization/use-organization.ts';
import { isAllowed } from '#lambdas/accounts/permissions.ts';
import type { ModelsOwner } from './patterns.ts';

const ModelsDialog = lazyComponent(() => import('./models-dialog.tsx'), 'ModelsDialog');

interface AllowedModelsSectionProps {
  owner: ModelsOwner;
  description: ReactNode;
  /** For an owner without a list. */
  allText?: string;
  /** Whether the list takes effect, such as that of a key that works. */
  isActive?: boolean;
  /** Below the list. */
  children?: ReactNode;
}

/** The models that the organization or a key may use, which those change who may. */
export function AllowedModelsSection({
  owner,
  description,
  allText = 'All models.',
  isActive = true,
  children,
}: AllowedModelsSectionProps) {
  const { role } = useOrganization();
  const maySet = isActive && isAllowed(role, 'manage_routing');
  const hasDraft = useHasDraft('allowed-models');
  const [isChanging, setChanging] = useState(hasDraft && maySet);
  return (
    <Section
      title="Allowed models"
      description={description}
      action={
        maySet && (
          <Button size="small" aria-label="Change allowed models" onClick={() => setChanging(true)}>
            Change
          </Button>
        )
      }
    >
      {owner.models === null ? (
        <p className="px-5 py-4 text-muted">{allText}</p>
      ) : (
        <ModelPatterns models={owner.models} />
      )}
      {children}
      <OnceOpened open={isChanging}>
        <ModelsDialog owner={owner} open={isChanging} onClose={() => setChanging(false)} />
      </OnceOpened>
    </Section>
  );
}

export function ModelPatterns({ models }: { models: readonly string[] }) {
  return (
    <ul aria-label="Patterns" className="flex flex-wrap gap-1.5 px-5 py-4">
      {models.map((pattern) => (
        <li
          key={pattern}
          className="rounded-md border border-line bg-canvas px-2 py-0.5 font-mono text-[0.8125rem] break-all"
        >
          {pattern}
        </li>
      ))}
    </ul>
  );
}
