-- What wrk sends and reports. Arguments: method, file of targets (path and token), file of body parts or "-", first number.
local method, parts, number
local heads = {}

function init(args)
  method, number = args[1], tonumber(args[4])
  local with_body = args[3] ~= '-'
  for line in io.lines(args[2]) do
    local path, token = line:match('(%S+) (%S+)')
    local head = method .. ' ' .. path .. ' HTTP/1.1\r\nHost: ' .. wrk.headers['Host'] .. '\r\nAuthorization: Bearer ' .. token .. '\r\n'
    heads[#heads + 1] = head .. (with_body and 'Content-Type: application/json\r\nContent-Length: ' or '\r\n')
  end
  if with_body then
    parts = {}
    for part in io.lines(args[3]) do parts[#parts + 1] = part end
  end
end

function request()
  local head = heads[math.random(#heads)]
  if not parts then return head end
  number = number + 1
  local body = table.concat(parts, string.format('%.0f', number))
  return head .. #body .. '\r\n\r\n' .. body
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99)))
  io.write(string.format('"failures":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}\n',
    errors.connect, errors.read, errors.write, errors.status, errors.timeout))
end
