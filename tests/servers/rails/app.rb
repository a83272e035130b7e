# A Rails application that logs as in development to one file, and as in production to another.
# usage: app.rb PORT LOG LOG
require "logger"
require "rails"
require "action_controller/railtie"
require "rack/handler/webrick"

class Shop < Rails::Application
  config.root = __dir__
  config.load_defaults 6.1
  config.eager_load = false
  config.secret_key_base = "x" * 64
  config.hosts.clear
  config.log_level = :debug
  config.logger = ActiveSupport::TaggedLogging.new(ActiveSupport::Logger.new(ARGV[1]))
  # In production, Rails writes this format, with Ruby's own config.log_formatter.
  config.logger.extend(ActiveSupport::Logger.broadcast(Logger.new(ARGV[2])))
  config.log_tags = [:request_id, :remote_ip]
  config.filter_parameters += [:password]
  routes.append do
    match "/pay/(*rest)", to: "payments#create", via: :all
    get "/go", to: "payments#go"
  end
  initialize!
end

class PaymentsController < ActionController::Base
  skip_forgery_protection

  def create
    logger.info "paid by #{params[:email]}"
    raise ArgumentError, params[:email] if params[:refuse]
    render plain: "seen"
  end

  def go
    redirect_to "/pay/?email=#{CGI.escape(params[:email].to_s)}"
  end
end

quiet = { Logger: WEBrick::Log.new(File::NULL), AccessLog: [] }
Rack::Handler::WEBrick.run(Rails.application, Host: "127.0.0.1", Port: ARGV[0].to_i, **quiet) do |server|
  trap(:TERM) { server.shutdown }
end
