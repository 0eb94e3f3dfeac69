import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip';
import { type ComponentType, type ReactElement, type ReactNode, useEffect, useId, useState } from 'react';
import { loadCode } from '../load-code.ts';
import type { TooltipPayload } from './tooltip-payload.ts';
import type { TooltipPopupProps } from './tooltip-popup.tsx';

const handle = BaseTooltip.createHandle<TooltipPayload>();

/** Resolves when tooltips can be opened. */
const ready = Promise.withResolvers<void>();

interface TooltipProps {
  content: ReactNode;
  /** For a button that does nothing else. */
  opensOnClick?: boolean;
  /** For an icon of the sidebar: beside it, and only on tablets, where the text is missing. */
  onRail?: boolean;
  children: ReactElement;
}

/** Extra text on hover and focus. Touch screens show only one that opens on click, so others must not be needed. */
export function Tooltip({ content, opensOnClick = false, onRail = false, children }: TooltipProps) {
  const id = useId();
  return (
    <BaseTooltip.Trigger
      handle={handle}
      payload={{ content, onRail }}
      render={children}
      delay={250}
      {...(opensOnClick && {
        id,
        closeOnClick: false,
        onClick: () => void ready.promise.then(() => handle.open(id)),
      })}
    />
  );
}

/** The events by which a trigger asks for its tooltip. */
const uses = ['pointerover', 'pointerdown', 'focusin', 'click'] as const;

function isUse({ target }: Event): boolean {
  return target instanceof Element && target.closest('[data-base-ui-tooltip-trigger]') !== null;
}

/**
 * Shows the content of the current tooltip. A view has one, inside a landmark. Its code is loaded with the first one,
 * since placing a popup is a tenth of the first view.
 */
export function TooltipLayer() {
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const [Popup, setPopup] = useState<ComponentType<TooltipPopupProps> | null>(null);
  useEffect(() => {
    const load = (event: Event) => {
      if (!isUse(event)) return;
      loadCode(() => import('./tooltip-popup.tsx')).then(
        ({ TooltipPopup }) => {
          stopListening();
          setPopup(() => TooltipPopup);
        },
        () => {},
      );
    };
    const stopListening = () => {
      for (const use of uses) document.removeEventListener(use, load);
    };
    for (const use of uses) document.addEventListener(use, load);
    return stopListening;
  }, []);
  return (
    <div ref={setContainer}>
      {Popup && <Popup handle={handle} container={container} onReady={ready.resolve} />}
    </div>
  );
}
