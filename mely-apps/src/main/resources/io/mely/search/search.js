// SPDX-License-Identifier: Apache-2.0
// Suggestions while typing, all by the keyboard: arrows choose, Enter searches, Escape closes, / goes to the box.
'use strict';
const box = document.getElementById('query');
const list = document.getElementById('suggestions');
let chosen = -1;
let asked = '';
let pending = null;

function show(titles) {
  list.replaceChildren(...titles.map((title, i) => {
    const item = document.createElement('li');
    item.id = 'suggestion-' + i;
    item.role = 'option';
    item.textContent = title;
    item.addEventListener('mousedown', event => { event.preventDefault(); take(title); });
    return item;
  }));
  choose(-1);
  list.hidden = titles.length === 0;
  box.setAttribute('aria-expanded', String(!list.hidden));
}

function choose(number) {
  chosen = number;
  [...list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === number)));
  if (number >= 0) {
    box.setAttribute('aria-activedescendant', 'suggestion-' + number);
  } else {
    box.removeAttribute('aria-activedescendant');
  }
}

// Closes the list, also to an answer that is on its way.
function close() {
  if (pending) {
    pending.abort();
    pending = null;
  }
  show([]);
}

function take(title) {
  box.value = title;
  close();
  box.form.submit();
}

async function ask() {
  const typed = box.value.trim();
  if (typed === asked) {
    return;
  }
  asked = typed;
  if (typed === '') {
    close();
    return;
  }
  if (pending) {
    pending.abort();
  }
  const mine = new AbortController();
  pending = mine;
  try {
    const response = await fetch('/suggest?q=' + encodeURIComponent(typed), { signal: mine.signal });
    const titles = response.ok ? await response.json() : [];
    if (pending === mine) {
      pending = null;
      show(titles);
    }
  } catch (e) {
    // typed on, or the server is gone: there are no suggestions then
  }
}

box.addEventListener('input', ask);
box.addEventListener('blur', close);
box.addEventListener('keydown', event => {
  const count = list.children.length;
  if (event.key === 'ArrowDown' && count > 0) {
    choose((chosen + 1) % count);
  } else if (event.key === 'ArrowUp' && count > 0) {
    choose(chosen <= 0 ? count - 1 : chosen - 1);
  } else if (event.key === 'Enter' && chosen >= 0) {
    take(list.children[chosen].textContent);
  } else if (event.key === 'Escape' && (count > 0 || pending)) {
    close();
  } else {
    return;
  }
  event.preventDefault();
});
document.addEventListener('keydown', event => {
  if (event.key === '/' && document.activeElement !== box) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});
