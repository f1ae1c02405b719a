// SPDX-License-Identifier: Apache-2.0
// Uploads one picture a request, shows how far each is, and then the original beside each version. Files are chosen by the button,
// dropped, or pasted; the divider between before and after is a slider, so all of it works by the keyboard.
'use strict';
const drop = document.getElementById('drop');
const chooser = document.getElementById('files');
const said = document.getElementById('said');
const pictures = document.getElementById('pictures');
const template = document.getElementById('picture');
const UPLOADS = 3; // at once
const LOOK_MS = 300;
const RETRIES_MAX = 20;
const waiting = [];
let uploading = 0;

function card(name) {
  const article = template.content.firstElementChild.cloneNode(true);
  article.querySelector('h2').textContent = name;
  pictures.prepend(article);
  return {
    article,
    say: text => { article.querySelector('.state').textContent = text; },
    progress: value => { article.querySelector('progress').value = value; },
    end: () => { article.querySelector('progress').hidden = true; },
  };
}

function refuse(shown, text) {
  shown.article.classList.add('refused');
  shown.say(text);
  shown.end();
}

function add(files) {
  for (const file of files) {
    const shown = card(file.name || 'pasted picture');
    shown.say('waits');
    waiting.push({ file, shown, tries: 0 });
  }
  said.textContent = files.length === 1 ? '1 picture added' : files.length + ' pictures added';
  next();
}

function next() {
  while (uploading < UPLOADS && waiting.length > 0) {
    uploading++;
    upload(waiting.shift()).finally(() => { uploading--; next(); });
  }
}

function send(file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append('images', file);
    request.open('POST', '/images');
    request.upload.addEventListener('progress', event => {
      if (event.lengthComputable) {
        onProgress(event.loaded / event.total);
      }
    });
    request.addEventListener('load', () => resolve(request));
    request.addEventListener('error', () => reject(new Error('the server does not answer')));
    request.send(form);
  });
}

function sleep(ms) {
  return new Promise(resolve => setTimeout(resolve, ms));
}

function answerOf(request) {
  try {
    return JSON.parse(request.responseText);
  } catch (e) {
    return { error: request.status + ' ' + request.statusText };
  }
}

async function upload(job) {
  const { file, shown } = job;
  try {
    shown.say('uploading');
    const request = await send(file, part => shown.progress(part / 2));
    const answer = answerOf(request);
    const outcome = answer.images ? answer.images[0] : { error: answer.error };
    if (request.status === 503 && job.tries++ < RETRIES_MAX) {
      shown.say('the server is busy');
      await sleep(1000 * Number(request.getResponseHeader('Retry-After') || 1));
      waiting.push(job);
    } else if (outcome.error) {
      refuse(shown, 'refused: ' + outcome.error);
    } else {
      follow(shown, outcome.address, URL.createObjectURL(file));
    }
  } catch (e) {
    refuse(shown, e.message);
  }
}

async function follow(shown, address, before) {
  for (;;) {
    let status;
    try {
      const response = await fetch(address);
      status = await response.json();
      if (!response.ok) {
        refuse(shown, status.error);
        return;
      }
    } catch (e) {
      refuse(shown, 'the server does not answer');
      return;
    }
    if (status.state === 'failed') {
      refuse(shown, 'the server could not finish it');
      return;
    }
    const ready = status.ready || [];
    const files = status.files || 1;
    shown.progress(0.5 + ready.length / files / 2);
    shown.say(ready.length + ' of ' + files + ' files');
    if (status.state === 'finished') {
      show(shown, status, before);
      return;
    }
    await sleep(LOOK_MS);
  }
}

function cell(row, content) {
  row.insertCell().append(content);
}

function extension(file) {
  return file.address.slice(file.address.lastIndexOf('.') + 1);
}

function show(shown, status, before) {
  const { article } = shown;
  shown.end();
  shown.say(status.width + ' × ' + status.height + ' pixels');
  const rows = article.querySelector('tbody');
  for (const file of status.ready) {
    const row = rows.insertRow();
    const link = document.createElement('a');
    link.href = file.address;
    link.textContent = extension(file);
    cell(row, file.version);
    cell(row, link);
    cell(row, file.width + ' × ' + file.height);
    cell(row, file.bytes.toLocaleString('en'));
  }
  article.querySelector('details').hidden = false;
  compare(article, status, before);
}

function compare(article, status, before) {
  const choice = article.querySelector('select');
  const after = article.querySelector('.after');
  const frame = article.querySelector('.frame');
  const cut = article.querySelector('.cut');
  const original = article.querySelector('.before');
  const slider = article.querySelector('input[type=range]');
  const name = article.querySelector('h2').textContent;
  const files = [...status.ready].sort((a, b) => b.width - a.width);
  for (const file of files) {
    choice.add(new Option(file.version + '.' + extension(file), file.address));
  }
  const place = () => {
    cut.style.width = slider.value + '%';
    original.style.width = frame.clientWidth + 'px';
  };
  const pick = () => {
    after.src = choice.value;
    after.alt = name + ', ' + choice.selectedOptions[0].text;
  };
  original.alt = name + ', as it was sent';
  if (before) {
    original.src = before;
  } else {
    cut.hidden = true;
    slider.parentElement.hidden = true;
  }
  after.addEventListener('load', place);
  addEventListener('resize', place);
  slider.addEventListener('input', place);
  choice.addEventListener('change', pick);
  article.querySelector('.compare').hidden = false;
  pick();
}

async function showNewest() {
  const response = await fetch('/images');
  if (response.ok) {
    for (const id of (await response.json()).images.reverse()) {
      follow(card(id.slice(0, 8)), '/images/' + id, null);
    }
  }
}

chooser.addEventListener('change', () => { add([...chooser.files]); chooser.value = ''; });
drop.addEventListener('dragover', event => { event.preventDefault(); drop.classList.add('over'); });
drop.addEventListener('dragleave', () => drop.classList.remove('over'));
drop.addEventListener('drop', event => {
  event.preventDefault();
  drop.classList.remove('over');
  add([...event.dataTransfer.files]);
});
document.addEventListener('paste', event => {
  if (event.clipboardData.files.length > 0) {
    add([...event.clipboardData.files]);
  }
});
showNewest().catch(() => { said.textContent = 'the server does not answer'; });
