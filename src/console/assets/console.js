/* Adds comfort; every page and every form works without it. */
(() => {
  const ageOf = (at) => {
    const seconds = Math.round((Date.now() - at.getTime()) / 1000);
    return seconds < 0 ? `in ${duration(-seconds)}` : `${duration(seconds)} ago`;
  };
  const duration = (seconds) => {
    if (seconds < 60) return `${seconds} s`;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
    if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
    return `${Math.floor(seconds / 86400)} d`;
  };

  /* A group is one stop for the Tab key: arrows go from one to the next in it; in a table up and down go to the row above or below. */
  const stopsOf = (group) =>
    [...group.querySelectorAll('a, summary, button:not(.copy), input')].filter(
      (one) => one.offsetParent && !one.closest('.action-form'),
    );
  const beside = (stops, at, by) => {
    const own = stops[at].closest('tbody tr');
    if (!own) return undefined;
    const inRow = (row) => stops.filter((one) => row.contains(one));
    const rows = [...own.parentElement.children].filter((row) => inRow(row).length > 0);
    const row = inRow(rows[rows.indexOf(own) + by] ?? own);
    return row[Math.min(row.length - 1, inRow(own).indexOf(stops[at]))];
  };
  const arrows = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };
  document.addEventListener('keydown', (event) => {
    const group = event.target.closest('[data-rove]');
    const by = arrows[event.key];
    const stops = group && by ? stopsOf(group) : [];
    const at = stops.indexOf(event.target);
    if (at < 0) return;
    const isUpOrDown = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    const to = (isUpOrDown && beside(stops, at, by)) || stops[Math.min(stops.length - 1, Math.max(0, at + by))];
    for (const one of stops) one.tabIndex = one === to ? 0 : -1;
    to.focus();
    event.preventDefault();
  });

  const dress = (root) => {
    for (const group of root.querySelectorAll('[data-rove]'))
      for (const [place, one] of stopsOf(group).entries()) one.tabIndex = place === 0 ? 0 : -1;
    for (const time of root.querySelectorAll('time[datetime]'))
      time.title = `${new Date(time.dateTime).toLocaleString()} here`;
    for (const button of root.querySelectorAll('button[data-copy]')) button.hidden = !navigator.clipboard;
  };
  const updateAges = () => {
    for (const age of document.querySelectorAll('time [data-age]'))
      age.textContent = ageOf(new Date(age.parentElement.dateTime));
  };

  document.addEventListener('click', (event) => {
    const button = event.target.closest('button[data-copy]');
    if (!button) return;
    void navigator.clipboard.writeText(button.dataset.copy).then(() => {
      button.classList.add('copied');
      setTimeout(() => button.classList.remove('copied'), 1500);
    });
  });
  const keys = document.getElementById('keys');
  for (const button of document.querySelectorAll('button[data-keys]')) {
    button.hidden = false;
    button.addEventListener('click', () => keys?.showModal());
  }
  /* The first link of each row; a step past either end stays there. */
  const step = (by) => {
    const rows = [...document.querySelectorAll('#list tbody tr')].filter((row) => row.querySelector('a')?.offsetParent);
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const row = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    row?.querySelector('a').focus();
  };
  const boxesOf = (place) =>
    [...place.querySelectorAll('tbody input[type="checkbox"]')].filter((box) => box.offsetParent);
  for (const all of document.querySelectorAll('input[data-all]')) {
    all.hidden = false;
    all.addEventListener('change', () => {
      const boxes = boxesOf(all.closest('table'));
      for (const box of boxes) box.checked = all.checked;
      if (boxes[0]) countPicked(boxes[0]);
    });
  }
  /* How many are picked stands on the button that does something with them. */
  const countPicked = ({ form }) => {
    const boxes = form ? [...form.elements].filter(({ type, form: own }) => type === 'checkbox' && own === form) : [];
    const summary = form?.closest('details.action')?.querySelector('summary');
    if (!summary || boxes.length === 0) return;
    const picked = boxes.filter(({ checked }) => checked).length;
    summary.dataset.label ??= summary.textContent;
    summary.textContent = picked === 0 ? summary.dataset.label : `${summary.dataset.label} (${picked})`;
  };
  document.addEventListener('change', ({ target }) => countPicked(target));
  const pick = () => document.activeElement.closest('#list tbody tr')?.querySelector('input[type="checkbox"]')?.click();
  const steps = { j: 1, k: -1 };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || keys?.open) return;
    if (event.key === '?') keys?.showModal();
    else if (event.key === 'x') pick();
    else if (steps[event.key]) step(steps[event.key]);
    else return;
    event.preventDefault();
  });
  const isTyping = ({ target }) => target.closest('input, textarea, select, [contenteditable]') !== null;
  document.addEventListener('keydown', (event) => {
    const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event);
    const isFind = isSlash || (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey);
    const box = document.getElementById('find');
    if (!isFind || !box) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    for (const open of document.querySelectorAll('details.action[open]')) {
      open.open = false;
      open.querySelector('summary').focus();
    }
  });

  const renew = (name, html) => {
    for (const place of document.querySelectorAll(`#${CSS.escape(name)}, [data-renew="${CSS.escape(name)}"]`)) {
      if (place.contains(document.activeElement) || place.querySelector('details[open], .switch:checked')) continue;
      place.innerHTML = html;
      dress(place);
    }
  };
  const live = document.body.dataset.live;
  if (live) {
    let source = null;
    const open = () => {
      source = new EventSource(live);
      source.addEventListener('message', ({ data }) => {
        for (const [name, html] of Object.entries(JSON.parse(data))) renew(name, html);
      });
    };
    const follow = () => {
      if (document.hidden) {
        source?.close();
        source = null;
      } else if (!source) open();
    };
    document.addEventListener('visibilitychange', follow);
    window.addEventListener('pagehide', () => source?.close());
    follow();
  }
  /* How many rows are newer than those of the list; the list stays as it is until somebody asks for them. */
  const NEWS_MS = 15_000;
  for (const news of document.querySelectorAll('[data-news]')) {
    const said = news.nextElementSibling;
    const ask = async () => {
      if (document.hidden) return;
      const answer = await fetch(news.dataset.news, { headers: { Accept: 'application/json' } });
      if (!answer.ok) return answer.status < 500 && clearInterval(timer);
      const { count } = await answer.json();
      news.hidden = count === 0;
      news.firstElementChild.textContent = `${count < 100 ? count : '99+'} new · show`;
      // Once: a number that grows is no news.
      if (count > 0 && said.textContent === '')
        said.textContent = 'There are new rows: the link above the list shows them.';
    };
    const quietly = () => void ask().catch(() => {});
    const timer = setInterval(quietly, NEWS_MS);
    document.addEventListener('visibilitychange', quietly);
  }

  /* Where one is stands in sight, in the menu at the side and in the one that unfolds. */
  const showCurrent = (nav, scroller) => {
    const { top = 0, bottom = 0 } = nav?.querySelector('[aria-current]')?.getBoundingClientRect() ?? {};
    // `scrollIntoView` would move where the Tab key begins.
    if (bottom + 60 > innerHeight) scroller.scrollBy(0, Math.min(top - 60, bottom + 60 - innerHeight));
  };
  const menu = document.getElementById('menu');
  menu?.addEventListener('toggle', () => menu.open && showCurrent(menu, window));
  showCurrent(document.querySelector('.menu-wide'), document.querySelector('.menu-wide'));

  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  for (const button of document.querySelectorAll('button[data-here]')) {
    const field = button.form.elements.namedItem('zone');
    button.hidden = field.value === here;
    button.textContent = here;
    button.addEventListener('click', () => {
      field.value = here;
    });
  }

  dress(document);
  setInterval(updateAges, 5000);
})();
